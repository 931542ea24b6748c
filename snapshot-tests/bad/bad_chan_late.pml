/* a channel created behind a statement: error at line 2 column 29 */
active proctype P() { skip; chan c = [1] of { byte }; c!1; c?_ }

/* c_state: line 2 column 1 */
c_state "int x" "Global"
active proctype P() { skip }

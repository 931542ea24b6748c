// The grammar knows every word of the language, as the lexer of pmc has them.
"use strict";

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");

test("every keyword is coloured", () => {
  const root = path.join(__dirname, "..", "..", "..");
  const tokens = fs.readFileSync(path.join(root, "compiler/src/syntax/token.rs"), "utf8");
  const list = tokens.split("Keyword {")[1].split("}")[0];
  const words = [...list.matchAll(/= "(\w+)"/g)].map((match) => match[1]);
  assert.ok(words.length > 60, `${words.length} keywords`);
  const grammar = fs.readFileSync(path.join(__dirname, "..", "syntaxes", "promela.tmLanguage.json"), "utf8");
  const known = new Set(grammar.match(/\w+/g));
  // `\b` in JSON leaves a b in front of the first word of a list.
  const missing = words.filter((word) => !known.has(word) && !known.has(`b${word}`));
  assert.deepStrictEqual(missing, []);
});

// The extension against a stand-in for VS Code: what it starts, what it asks, what it says.
"use strict";

const assert = require("node:assert");
const Module = require("node:module");
const test = require("node:test");
const fs = require("node:fs");
const path = require("node:path");

function load({ settings = {}, startError, answer, document } = {}) {
  const seen = { clients: [], requests: [], messages: [], commands: {}, configured: undefined };
  const say = (kind) => (text) => seen.messages.push([kind, text]);
  class LanguageClient {
    constructor(id, name, server, options) {
      Object.assign(this, { server, options, stopped: false });
      this.code2ProtocolConverter = { asUri: (uri) => String(uri) };
      seen.clients.push(this);
    }
    async start() {
      if (startError) throw new Error(startError);
    }
    async stop() {
      this.stopped = true;
    }
    async sendRequest(method, parameters) {
      seen.requests.push([method, parameters]);
      if (answer instanceof Error) throw answer;
      return answer;
    }
  }
  const vscode = {
    ProgressLocation: { Notification: 15 },
    workspace: {
      getConfiguration: () => ({ get: (name, otherwise) => settings[name] ?? otherwise }),
      createFileSystemWatcher: (pattern) => pattern,
      onDidChangeConfiguration: (act) => ((seen.configured = act), {}),
    },
    window: {
      activeTextEditor: document && { document },
      showErrorMessage: say("error"),
      showWarningMessage: say("warning"),
      showInformationMessage: say("information"),
      withProgress: (_, act) => act({}, { onCancellationRequested: (cancel) => (seen.cancel = cancel) }),
    },
    commands: { registerCommand: (name, run) => ((seen.commands[name] = run), {}) },
  };
  const file = require.resolve("../src/extension.js");
  delete require.cache[file];
  const original = Module._load;
  Module._load = (name, ...rest) => {
    if (name === "vscode") return vscode;
    if (name === "vscode-languageclient/node") return { LanguageClient };
    return original(name, ...rest);
  };
  try {
    return { extension: require(file), seen };
  } finally {
    Module._load = original;
  }
}

const model = { languageId: "promela", uri: "file:///m.pml" };

test("the server is started with the flags of the settings", async () => {
  const { extension, seen } = load({ settings: { path: "/opt/pmc", arguments: ["-D", "N=3"] } });
  const context = { subscriptions: [] };
  await extension.activate(context);
  assert.deepStrictEqual(seen.clients[0].server, { command: "/opt/pmc", args: ["lsp", "-D", "N=3"] });
  assert.strictEqual(context.subscriptions.length, 4);
  // Other settings, another server.
  await seen.configured({ affectsConfiguration: (name) => name === "other" });
  assert.strictEqual(seen.clients.length, 1);
  await seen.configured({ affectsConfiguration: (name) => name === "pmc" });
  assert.ok(seen.clients[0].stopped && seen.clients.length === 2);
  await extension.deactivate();
  assert.ok(seen.clients[1].stopped);
});

test("a server that cannot be started is named", async () => {
  const { extension, seen } = load({ startError: "ENOENT" });
  await extension.activate({ subscriptions: [] });
  assert.match(seen.messages[0][1], /`pmc lsp`: ENOENT.*pmc\.path/);
  await extension.deactivate();
});

test("a verdict is told", async () => {
  for (const [verdict, kind] of [["verified", "information"], ["violated", "warning"], ["incomplete", "warning"]]) {
    const { extension, seen } = load({ document: model, answer: { verdict, summary: `${verdict}, 3 states` } });
    await extension.activate({ subscriptions: [] });
    await seen.commands["pmc.verifyModel"]();
    assert.deepStrictEqual(seen.requests[0][1], { command: "pmc.verify", arguments: ["file:///m.pml", ""] });
    assert.deepStrictEqual(seen.messages, [[kind, `pmc: ${verdict}, 3 states`]]);
    await seen.cancel();
    assert.strictEqual(seen.requests[1][1].command, "pmc.cancel");
  }
});

test("what goes wrong is told", async () => {
  const refused = load({ document: model, answer: new Error("the model has errors") });
  await refused.extension.activate({ subscriptions: [] });
  await refused.seen.commands["pmc.verifyModel"]();
  assert.deepStrictEqual(refused.seen.messages, [["warning", "pmc: the model has errors"]]);
  const nothing = load({});
  await nothing.extension.activate({ subscriptions: [] });
  await nothing.seen.commands["pmc.verifyModel"]();
  assert.match(nothing.seen.messages[0][1], /Open a Promela model/);
  assert.deepStrictEqual(nothing.seen.requests, []);
});

test("every command of the manifest is there, and every file that it names", async () => {
  const root = path.join(__dirname, "..");
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const { extension, seen } = load();
  await extension.activate({ subscriptions: [] });
  const { commands, languages, grammars, snippets } = manifest.contributes;
  assert.deepStrictEqual(commands.map(({ command }) => command).sort(), Object.keys(seen.commands).sort());
  const files = [manifest.main, languages[0].configuration, grammars[0].path, snippets[0].path];
  for (const file of files) assert.ok(fs.existsSync(path.join(root, file)), file);
  for (const file of files.slice(1)) JSON.parse(fs.readFileSync(path.join(root, file), "utf8"));
});

test("every snippet has a prefix and a body", () => {
  const file = path.join(__dirname, "..", "snippets", "promela.json");
  for (const [name, { prefix, body }] of Object.entries(JSON.parse(fs.readFileSync(file, "utf8")))) {
    assert.ok(prefix && Array.isArray(body) && body.length > 0, name);
  }
});

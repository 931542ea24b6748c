// Starts `pmc lsp`, and offers a few commands beside what the server does by itself.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

function makeClient() {
  const settings = vscode.workspace.getConfiguration("pmc");
  const server = {
    command: settings.get("path", "pmc"),
    args: ["lsp", ...settings.get("arguments", [])],
  };
  const documents = [
    { scheme: "file", language: "promela" },
    { scheme: "untitled", language: "promela" },
  ];
  return new LanguageClient("pmc", "Promela (pmc)", server, {
    documentSelector: documents,
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{pml,promela,prom,spin,h,inc}") },
  });
}

async function start() {
  client = makeClient();
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const program = vscode.workspace.getConfiguration("pmc").get("path", "pmc");
    const text = `Cannot start \`${program} lsp\`: ${error.message}. Install pmc, or say where it is in the setting pmc.path.`;
    vscode.window.showErrorMessage(text);
  }
}

async function stop() {
  const old = client;
  client = undefined;
  if (old) {
    await old.stop();
  }
}

/** Asks the server, with the address of the model in front. */
async function ask(command, ...rest) {
  const document = vscode.window.activeTextEditor?.document;
  if (!client || document?.languageId !== "promela") {
    vscode.window.showInformationMessage("Open a Promela model first.");
    return undefined;
  }
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  return client.sendRequest("workspace/executeCommand", { command, arguments: [uri, ...rest] });
}

/** Everything that the model states, with the verdict as a message. */
async function verifyModel() {
  const progress = { location: vscode.ProgressLocation.Notification, title: "pmc verifies", cancellable: true };
  await vscode.window.withProgress(progress, async (_, token) => {
    token.onCancellationRequested(() => ask("pmc.cancel").catch(() => {}));
    try {
      const result = await ask("pmc.verify", "");
      if (result) {
        const show = result.verdict === "verified" ? "showInformationMessage" : "showWarningMessage";
        vscode.window[show](`pmc: ${result.summary}`);
      }
    } catch (error) {
      vscode.window.showWarningMessage(`pmc: ${error.message}`);
    }
  });
}

async function activate(context) {
  const commands = {
    "pmc.verifyModel": verifyModel,
    "pmc.stop": () => ask("pmc.cancel"),
    "pmc.restart": async () => {
      await stop();
      await start();
    },
  };
  for (const [name, run] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(name, run));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("pmc")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };

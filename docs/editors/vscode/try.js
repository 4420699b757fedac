// Activates the extension with a stand-in for VS Code, and asks the language server that it starts what an editor asks:
//     node try.js EXTENSION_FOLDER MODEL_FOLDER COMMAND [ARGUMENT...]
// EXTENSION_FOLDER is this one with its packages, or what a .vsix holds; MODEL_FOLDER has domain.pddl, problem.pddl and broken-order.plan. Prints what the server answers as JSON.
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { spawn } = require("node:child_process");
const { pathToFileURL } = require("node:url");

const [extensionFolder, folder, ...command] = process.argv.slice(2);
const ofExtension = Module.createRequire(path.resolve(extensionFolder, "extension.js"));
const rpc = ofExtension("vscode-jsonrpc/node");
ofExtension.resolve("vscode-languageclient/node"); // the stand-in below takes its place, and it must be there
let connection, server;

class LanguageClient {
  constructor(id, serverOptions, clientOptions) {
    Object.assign(this, { id, serverOptions, clientOptions });
  }
  async start() {
    server = spawn(this.serverOptions.command, this.serverOptions.args, { stdio: ["pipe", "pipe", "inherit"] });
    await new Promise((resolve, reject) => server.once("spawn", resolve).once("error", reject));
    connection = rpc.createMessageConnection(server.stdout, server.stdin);
    connection.listen();
    await connection.sendRequest("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
    connection.sendNotification("initialized", {});
  }
  async stop() {
    await connection.sendRequest("shutdown");
    connection.sendNotification("exit");
    return new Promise((resolve) => server.once("exit", resolve));
  }
}

const errors = [];
const vscode = {
  workspace: { getConfiguration: () => ({ get: () => command }) },
  window: { showErrorMessage: (text) => errors.push(text) },
};
const load = Module._load;
Module._load = (name, ...rest) =>
  name === "vscode" ? vscode : name === "vscode-languageclient/node" ? { LanguageClient } : load(name, ...rest);

function next(notification) {
  return new Promise((resolve) => {
    const listening = connection.onNotification(notification, (told) => (listening.dispose(), resolve(told)));
  });
}

async function main() {
  const extension = ofExtension("./extension.js");
  await extension.activate();
  if (errors.length) return { errors };
  const file = path.join(folder, "broken-order.plan");
  const text = fs.readFileSync(file, "utf8");
  const uri = pathToFileURL(file).href;
  const applied = new Promise((resolve) =>
    connection.onRequest("workspace/applyEdit", (asked) => (resolve(asked.edit), { applied: true })),
  );
  const published = next("textDocument/publishDiagnostics");
  connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "plan", version: 1, text },
  });
  const { diagnostics } = await published;
  const line = text.split("\n").indexOf("(lift b)");
  const textDocument = { uri };
  const hover = await connection.sendRequest("textDocument/hover", { textDocument, position: { line, character: 1 } });
  const context = { diagnostics };
  const asked = { textDocument, range: diagnostics[0].range, context };
  const actions = await connection.sendRequest("textDocument/codeAction", asked);
  const nearest = actions.find((action) => action.title === "Apply the nearest valid plan");
  const { command: name, arguments: words } = nearest.command;
  await connection.sendRequest("workspace/executeCommand", { command: name, arguments: words });
  const edit = await applied;
  await extension.deactivate();
  return {
    faults: diagnostics.map((one) => ({ line: one.range.start.line + 1, message: one.message })),
    causes: diagnostics.flatMap((one) => (one.relatedInformation ?? []).map((each) => each.message)),
    step: hover.contents.value,
    actions: actions.map((action) => action.title),
    repair: Object.values(edit.changes).flat().map((one) => one.newText),
  };
}

main().then((found) => console.log(JSON.stringify(found, null, 1)), (error) => {
  console.error(error);
  process.exit(1);
});

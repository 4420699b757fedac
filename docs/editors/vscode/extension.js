// Starts the language server and connects it with the editor; everything else is the server's.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const [command, ...args] = vscode.workspace.getConfiguration("plan-validator").get("command");
  const selector = ["pddl", "plan"].map((language) => ({ scheme: "file", language }));
  client = new LanguageClient("plan-validator", { command, args }, { documentSelector: selector });
  try {
    await client.start();
  } catch (error) {
    const help = "pip install 'plan-validator[lsp]', or set plan-validator.command to the program";
    vscode.window.showErrorMessage(`plan-validator: ${command} does not start (${error.message}): ${help}`);
  }
};

exports.deactivate = () => client?.stop();

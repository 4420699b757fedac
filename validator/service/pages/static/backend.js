// The questions are asked over HTTP, of the service that the page comes from.
export const links = [["HTTP interface", "openapi.json"]];
export const ready = Promise.resolve();

export async function ask(question, texts, signal) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`ask/${question}`, { method: "POST", headers, body: JSON.stringify(texts), signal });
  const value = await response.json();
  if (response.status !== 202) {
    if (!response.ok) throw value;
    return value;
  }
  const job = value.links.self;
  signal.addEventListener("abort", () => fetch(job, { method: "DELETE" }));
  for (;;) {
    const found = await (await fetch(job, { signal })).json();
    if (found.result) return found.result;
    if (!["queued", "running"].includes(found.status)) throw found.problem ?? { title: `The job was ${found.status}` };
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** One call of a host's MCP server over HTTP, as a CLI makes it. */
export const askServer = async (
  url: string,
  headers: Readonly<Record<string, string>>,
  method: string,
  params: object
) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  })
  return { status: response.status, text: await response.text(), session: response.headers.get("mcp-session-id") }
}

/** Begins a session of the server, and calls a tool. */
export const callServer = async (url: string, token: string, name: string, input: object) => {
  const own = { authorization: token }
  const about = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
  const { session } = await askServer(url, own, "initialize", about)
  const headers = { ...own, ...(session === null ? {} : { "mcp-session-id": session }) }
  return await askServer(url, headers, "tools/call", { name, arguments: input })
}

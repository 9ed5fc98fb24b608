/**
 * `opencode serve`: a session, a prompt that is answered when the turn is over, and the events of all as server-sent
 * events. Aborting a session ends its tool, as `session/cancel` of `opencode acp` does; here that is not recorded.
 */
import { createServer } from "node:http"
import { plan } from "./cell.mjs"
import { play } from "./play.mjs"
import { endTool } from "./tool.mjs"

const sessionID = "ses_1"
const ids = { sessionID, messageID: "msg_1" }
let count = 0
let listener
let answer

const part = (fields) => ({
  type: "message.part.updated",
  properties: { part: { id: `prt_${++count}`, ...ids, ...fields } }
})
const tool = (callID, state) => part({ type: "tool", tool: "bash", callID, state })
const time = { start: 1, end: 2 }
const about = { title: "serve", metadata: {}, input: { command: "serve" } }

const json = (response, value) =>
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value))
const answerWith = (parts, fields) =>
  json(answer, { info: { id: "msg_1", role: "assistant", sessionID, time, ...fields }, parts })

const format = {
  lineOf: (text) => `data: ${text}\n\n`,
  write: (data) => new Promise((resolve) => listener.write(data, resolve)),
  begin: () => [{ type: "session.status", properties: { sessionID, status: { type: "busy" } } }],
  text: (words) => [part({ type: "text", text: words, time })],
  toolStart: (id) => [tool(id, { status: "running", ...about, time: { start: 1 } })],
  toolOutput: (id, output) => tool(id, { status: "completed", ...about, output, time }),
  result: (words) => {
    answerWith([{ id: "prt_0", ...ids, type: "text", text: words }])
    return [{ type: "session.idle", properties: { sessionID } }]
  }
}

const routes = {
  "GET /event": (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(format.lineOf(JSON.stringify({ type: "server.connected", properties: {} })))
    listener = response
  },
  "POST /session": (_, response) => {
    json(response, { id: sessionID, title: "bench", version: plan.version, time })
  },
  [`POST /session/${sessionID}/message`]: (_, response) => {
    answer = response
    play(format)
  },
  [`POST /session/${sessionID}/abort`]: (_, response) => {
    if (plan.fault !== "deaf") {
      endTool()
      answerWith([], { error: { name: "MessageAbortedError", data: { message: "Aborted" } } })
    }
    json(response, true)
  }
}

if (plan.fault === "silent") play(format)
else {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost")
    const route = routes[`${request.method} ${pathname}`]
    request.resume()
    if (route !== undefined) return route(request, response)
    response.writeHead(404).end()
  })
  server.listen(0, "127.0.0.1", () =>
    process.stdout.write(`opencode server listening on http://127.0.0.1:${server.address().port}\n`)
  )
}

/**
 * A chat with an agent over HTTP, with Node's own server: prompts and decisions come in by POST, events go out as
 * Server-Sent Events. A client that was cut off comes back with `last-event-id`, and gets what it has missed.
 *
 *     APP_TOKEN=secret node examples/chat-over-http/main.ts
 *     curl -N -H "authorization: Bearer secret" http://127.0.0.1:8080/events
 *     curl -H "authorization: Bearer secret" -d "what is this project?" http://127.0.0.1:8080/messages
 *     curl -H "authorization: Bearer secret" -d '{"decision":"allow"}' http://127.0.0.1:8080/requests/REQUEST_ID
 *
 * Its clients can run commands on this machine: it listens on loopback, and answers only those who have the token.
 */
import { createHash, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { pipeline } from "node:stream/promises"
import { Approvals, createAgent, createEventFeed } from "reins/promise"

const { APP_TOKEN: token = crypto.randomUUID(), PORT: port = "8080" } = process.env

await using agent = createAgent("claude")
await using session = await agent.open({ approvals: [Approvals.allow({ kinds: ["read", "search"] }), Approvals.ask()] })
await using feed = createEventFeed(session.events)

const digest = (secret: string) => createHash("sha256").update(secret).digest()
const isAllowed = ({ headers: { authorization = "" } }: IncomingMessage) =>
  timingSafeEqual(digest(authorization), digest(`Bearer ${token}`))

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
  if (!isAllowed(request)) return response.writeHead(401).end()
  const route = `${request.method} ${request.url}`
  const [, requestId] = /^POST \/requests\/([^/]+)$/.exec(route) ?? []
  if (route === "GET /events") {
    const { status, headers, body } = feed.response(request)
    response.writeHead(status, Object.fromEntries(headers))
    return body === null ? response.end() : pipeline(Readable.fromWeb(body), response)
  }
  if (route === "POST /messages") {
    const delivery = await session.send(await text(request))
    return response.writeHead(202).end(`${delivery}\n`)
  }
  if (requestId !== undefined) {
    // It is closed if it was answered or withdrawn before.
    const isOpen = await session.decide(decodeURIComponent(requestId), JSON.parse(await text(request)))
    return response.writeHead(isOpen ? 200 : 409).end()
  }
  return response.writeHead(404).end()
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => {
    // A client that has left, an empty message, or an invalid decision.
    if (response.headersSent) response.destroy()
    else response.writeHead(400).end()
  })
})
server.listen(Number(port), "127.0.0.1")
await once(server, "listening")
const address = server.address()
console.log(`http://127.0.0.1:${typeof address === "object" ? address?.port : port}, with the token ${token}`)

await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM"), feed.ended])
server.close()

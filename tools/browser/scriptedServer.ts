/**
 * A server with the page's HTTP and scripted answers: what it is told is kept, what it says is said by the test. It can be
 * cut, ended and started again on its port; its rows keep their numbers.
 */

import { readFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { makeScript, type Unplaced } from "./rows.ts"
import { baseState, type Scenario } from "./states.ts"

const folder = join(import.meta.dirname, "../../src/channels/web/page")
const types: Readonly<Record<string, string>> = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  ico: "image/x-icon"
}
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; object-src 'none'; frame-ancestors 'none'"

type Row = { readonly id: number } & Unplaced
export interface Reply {
  readonly status: number
  /** The connection is cut before it is done, or before the page hears of it. */
  readonly lost?: "before" | "after"
  readonly body?: object
}
export interface Told {
  readonly path: string
  readonly query: URLSearchParams
  /** Requests of the page, as tests look at them: the members that the path has. */
  readonly body: {
    readonly id: string
    readonly conversation: string
    readonly text: string
    readonly how?: string
    readonly files?: ReadonlyArray<string>
    readonly press: Readonly<Record<string, unknown>>
    readonly [name: string]: unknown
  }
  readonly bytes: number
}

const readBody = async (request: IncomingMessage) => {
  const pieces: Array<Buffer> = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces)
}

export interface ScriptedServer {
  readonly url: string
  readonly key: string
  readonly told: ReadonlyArray<Told>
  /** The answer to a path below the page; undefined for the usual one. */
  reply: (reported: Told) => Reply | undefined
  /** The answer in place of a stream; undefined for the stream. */
  noStream: Reply | undefined
  readonly say: (conversation: string, ...rows: ReadonlyArray<Unplaced>) => void
  readonly state: (change: object) => void
  /** Cuts what is open, in the middle of things. */
  readonly cut: () => void
  readonly end: () => Promise<void>
  readonly begin: () => Promise<void>
  readonly streams: () => number
  readonly renewKey: () => string
  /** As a server with another store: its rows are gone, and numbers begin anew. */
  readonly forget: (conversation: string) => void
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * The presses that a server was told, as soon as there are `count`: the page shows that it sends before a press arrives. Fewer
 * after ten seconds.
 */
export const pressesTo = async ({ told: reported }: ScriptedServer, count: number) => {
  const presses = () => reported.filter(({ path }) => path === "press").map(({ body }) => body.press)
  const last = Date.now() + 10_000
  while (presses().length < count && Date.now() < last) await setTimeout(10)
  return presses()
}

const turnsAPage = 200

export const startServer = async (
  scenario: Scenario,
  options: { readonly direction?: "rtl" } = {}
): Promise<ScriptedServer> => {
  const conversations = new Map<string, Array<Row>>()
  const streams = new Map<ServerResponse, string>()
  const reported: Array<Told> = []
  const script = makeScript()
  const answered = new Map<string, Reply>()
  let state: Record<string, unknown> = { ...baseState, ...scenario.state }
  let key = "key-1"
  let last = 0
  const clock = () => Date.now() + (scenario.ahead ?? 0)
  let server: Server
  let port = 0

  const rowsOf = (id: string) => {
    const rows = conversations.get(id) ?? []
    conversations.set(id, rows)
    return rows
  }
  /** The rows of the newest 200 turns among these. */
  const newestOf = (rows: ReadonlyArray<Row>) => {
    const runs = rows.flatMap(({ row }, index) => (row === "run" ? [index] : []))
    const from = runs.length > turnsAPage ? (runs.at(-turnsAPage) ?? 0) : 0
    return rows.slice(from > 0 && rows[from - 1]?.row === "message" ? from - 1 : from)
  }
  const frame = (data: object, head = "") => `${head}data: ${JSON.stringify(data)}\n\n`
  const rowFrame = ({ id, ...row }: Row) => frame(row, `id: ${id}\n`)
  const stateNow = () => ({ now: clock(), ...state })

  const say: ScriptedServer["say"] = (conversation, ...rows) => {
    for (const row of script(rows, clock())) {
      last += 1
      const placed = { id: last, ...row }
      rowsOf(conversation).push(placed)
      for (const [stream, of] of streams) if (of === conversation) stream.write(rowFrame(placed))
    }
  }
  for (const row of script(scenario.rows, clock() - 4000)) {
    last += 1
    rowsOf(scenario.current ?? "c1").push({ id: last, ...row })
  }

  const stream = (request: IncomingMessage, response: ServerResponse, query: URLSearchParams) => {
    const conversation = query.get("conversation") ?? ""
    const known = (state["conversations"] as ReadonlyArray<{ id: string }>).some(({ id }) => id === conversation)
    if (conversation !== "" && !known && !conversations.has(conversation))
      return json(response, 404, { error: "No such conversation." })
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" })
    const rows = conversation === "" ? [] : rowsOf(conversation)
    const after = query.get("after") ?? request.headers["last-event-id"]
    const newest = rows.at(-1)?.id ?? 0
    const isKnown = after !== undefined && Number(after) <= newest
    const requested = isKnown ? rows.filter(({ id }) => id > Number(after)) : newestOf(rows)
    const first = rows[0]?.id ?? 0
    const hello = { now: clock(), first, oldest: isKnown ? first : (requested[0]?.id ?? 0), newest }
    response.write(frame(hello, "event: hello\n"))
    response.write(frame(stateNow(), "event: state\n"))
    response.write(requested.map(rowFrame).join(""))
    streams.set(response, conversation)
    response.on("close", () => streams.delete(response))
  }
  const json = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    response.end(JSON.stringify(body))
  }
  /** As the server does it: the message gets its row, a file its id. */
  const usual = ({ path, body, bytes, query }: Told): Reply => {
    if (path === "messages") {
      const { id, conversation, text, how } = body
      say(conversation, {
        row: "message",
        message: id,
        by: "You",
        text,
        state: how === "queue" ? "queued" : how === "steer" ? "steering" : "sent",
        ...(how === "queue" ? { place: 1 } : {})
      })
      return { status: 202, body: { id, conversation } }
    }
    if (path === "files")
      return {
        status: 201,
        body: { fileId: `file-${reported.length}`, name: query.get("name"), bytes, kind: "document" }
      }
    return { status: 200, body: {} }
  }
  const page = async (response: ServerResponse, name: string) => {
    const file = name === "" ? "index.html" : name
    const content = await readFile(join(folder, file)).catch(() => undefined)
    if (file === "favicon.ico") return void response.writeHead(204).end()
    if (content === undefined) return void response.writeHead(404).end()
    const turned =
      file === "words.js" && options.direction === "rtl"
        ? String(content).replace('direction: "ltr"', 'direction: "rtl"')
        : content
    response.writeHead(200, {
      "content-type": types[/[^.]*$/.exec(file)?.[0] ?? ""] ?? "text/plain",
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store"
    })
    response.end(turned)
  }
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
    const path = pathname.slice(1)
    if (request.method === "GET" && /^[\w.-]*$/.test(path) && !["state", "events", "rows"].includes(path))
      return page(response, path)
    if (request.headers.authorization !== `Bearer ${key}`)
      return json(response, 401, { error: "The key is not valid.", help: "Open the link that reins serve printed." })
    if (path === "events") {
      const { noStream } = scripts
      if (noStream !== undefined) return json(response, noStream.status, noStream.body ?? {})
      return stream(request, response, searchParams)
    }
    if (path === "rows") {
      const rows = rowsOf(searchParams.get("conversation") ?? "")
      const before = rows.filter(({ id }) => id < Number(searchParams.get("before")))
      return json(response, 200, { rows: newestOf(before), oldest: rows[0]?.id ?? 0 })
    }
    if (request.method === "GET" && path.startsWith("files/")) {
      response.writeHead(200, { "content-type": "application/octet-stream", "content-disposition": "attachment" })
      return void response.end("<script>window.ran='file'</script>\nthe text of a file")
    }
    const raw = await readBody(request)
    const body = path === "files" || raw.length === 0 ? {} : JSON.parse(String(raw))
    const one: Told = { path, query: searchParams, body, bytes: raw.length }
    const id = String(body.id ?? "")
    const before = id === "" ? undefined : answered.get(id)
    if (before !== undefined) return json(response, before.status, before.body ?? {})
    const special = scripts.reply(one)
    // Read after each turn: conversations of tests have no worktree.
    if (request.method === "GET" && path.endsWith("/changes"))
      return json(response, special?.status ?? 200, special?.body ?? {})
    if (special?.lost === "before") return void request.socket.destroy()
    reported.push(one)
    const reply = special === undefined || special.lost === "after" ? usual(one) : special
    if (id !== "" && reply.status < 400) answered.set(id, reply)
    if (special?.lost === "after") return void request.socket.destroy()
    json(response, reply.status, reply.body ?? {})
  }

  const begin = async () => {
    server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
    const address = server.address()
    if (typeof address === "object" && address !== null) port = address.port
  }
  const end = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  await begin()
  const scripts: ScriptedServer = {
    get url() {
      return `http://127.0.0.1:${port}/`
    },
    get key() {
      return key
    },
    told: reported,
    reply: () => undefined,
    noStream: undefined,
    say,
    state: (change) => {
      state = { ...state, ...change }
      for (const stream of streams.keys()) stream.write(frame(stateNow(), "event: state\n"))
    },
    cut: () => {
      for (const stream of streams.keys()) stream.destroy()
    },
    end,
    begin,
    streams: () => streams.size,
    forget: (conversation) => {
      conversations.set(conversation, [])
      last = 0
    },
    renewKey: () => {
      key = `key-${Math.random()}`
      return key
    },
    [Symbol.asyncDispose]: () => end()
  }
  return scripts
}

/** The link that opens a conversation. */
export const linkOf = (server: ScriptedServer, conversation: string) =>
  `${server.url}#${new URLSearchParams({ key: server.key, ...(conversation === "" ? {} : { c: conversation }) })}`

/**
 * Attempts of other pages, programs, people and slow clients: nothing runs, nothing is revealed, and the host
 * continues.
 */
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { WebChat } from "../../../src/channels/web/WebChat.ts"
import type { WebAgent } from "../../../src/channels/web/WebChatOptions.ts"
import { Store } from "../../../src/conversations/store/Store.ts"
import { openPage, uuid, visitor } from "./page.ts"

/** As Node sends it: any `Host`, any header. */
const raw = (port: number, path: string, headers: Record<string, string>, method = "GET", body = "") =>
  Effect.callback<{ readonly status: number; readonly text: string; readonly headers: Record<string, unknown> }>(
    (resume) => {
      const sent = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (response) => {
        let text = ""
        response.on("data", (chunk) => {
          text += chunk
        })
        response.on("end", () =>
          resume(Effect.succeed({ status: response.statusCode ?? 0, text, headers: response.headers }))
        )
      })
      sent.on("error", (error) => resume(Effect.die(error)))
      sent.end(body)
    }
  )

/** The answer to such bytes. */
const bytesOf = (port: number, bytes: string) =>
  Effect.callback<string>((resume) => {
    let text = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    socket.on("data", (chunk) => {
      text += chunk
    })
    socket.on("close", () => resume(Effect.succeed(text)))
    socket.on("error", () => {})
  })

const quiet = openPage({ script: [{ type: "text", text: "it ran" }] })

const apis = [
  ["GET", "./state"],
  ["GET", "./events"],
  ["GET", `./rows?conversation=${uuid()}`],
  ["POST", "./messages"],
  ["POST", "./files?name=a"],
  ["GET", `./files/${uuid()}`],
  ["POST", "./press"],
  ["POST", `./conversations/${uuid()}`],
  ["GET", `./conversations/${uuid()}/export`]
] as const

describe("strangers", () => {
  it.live("get the page's own files without a token, and nothing else", () =>
    Effect.gen(function* () {
      const { base, token } = yield* quiet
      const guesses = ["", "x", "Bearer", `${token}x`, token.slice(0, -1), token.toUpperCase(), "A".repeat(10_000)]
      for (const [method, path] of apis) {
        for (const guess of guesses) {
          const headers = { "content-type": "application/json", authorization: `Bearer ${guess}` }
          const response = yield* Effect.promise(() =>
            fetch(new URL(path, base), { method, headers, ...(method === "POST" ? { body: "{}" } : {}) })
          )
          const text = yield* Effect.promise(() => response.text())
          assert.strictEqual(response.status, 401, `${method} ${path} ${guess.slice(0, 10)}`)
          assert.deepStrictEqual(Object.keys(JSON.parse(text)), ["error", "help"])
          assert.strictEqual(response.headers.get("cache-control"), "no-store")
          assert.isNull(response.headers.get("set-cookie"))
          assert.isNull(response.headers.get("access-control-allow-origin"))
        }
      }
    }).pipe(Effect.scoped)
  )

  it.live("are refused by the name and by the page from which they come, with the token, too", () =>
    Effect.gen(function* () {
      const { port, token } = yield* quiet
      const own = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      const host = `127.0.0.1:${port}`
      const state = (headers: Record<string, string>) =>
        Effect.map(raw(port, "/state", { ...own, ...headers }), ({ status }) => status)
      for (const good of [
        { host },
        { host: `localhost:${port}` },
        { host: `[::1]:${port}` },
        { host, origin: `http://${host}` }
      ]) {
        assert.strictEqual(yield* state(good), 200, JSON.stringify(good))
      }
      const wrongHosts = [
        `evil.example:${port}`,
        "127.0.0.1",
        `127.0.0.1:${port + 1}`,
        `127.0.0.1.evil.example:${port}`,
        `localhost.evil.example:${port}`,
        `0.0.0.0:${port}`,
        `127.0.0.1:${port}@evil.example`
      ]
      for (const wrong of wrongHosts) {
        assert.notStrictEqual(yield* state({ host: wrong }), 200, wrong)
        // The page's files neither: a name that leads here learns nothing.
        assert.include([403, 400], (yield* raw(port, "/", { host: wrong })).status, wrong)
      }
      for (const none of ["Host:\r\n", "Host: \t\r\n", ""]) {
        const first = yield* bytesOf(port, `GET /state HTTP/1.0\r\n${none}Authorization: Bearer ${token}\r\n\r\n`)
        assert.match(first, /^HTTP\/1\.1 40[03] /, none)
      }
      const wrongOrigins = [
        "https://evil.example",
        `http://127.0.0.1:${port + 1}`,
        `http://localhost:${port}`,
        "null",
        `https://${host}.evil.example`
      ]
      for (const origin of wrongOrigins) assert.strictEqual(yield* state({ host, origin }), 403, origin)
      for (const site of ["cross-site", "same-site"]) {
        assert.strictEqual(yield* state({ host, "sec-fetch-site": site }), 403, site)
      }
    }).pipe(Effect.scoped)
  )

  it.live("cannot make a form or a simple request of another page do anything", () =>
    Effect.gen(function* () {
      const { you, list } = yield* quiet
      const body = JSON.stringify({ id: uuid(), conversation: you.conversation, text: "run" })
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]) {
        const headers = { "content-type": type }
        assert.strictEqual((yield* you.ask("./messages", { method: "POST", body, headers })).status, 415)
        assert.strictEqual((yield* you.ask("./files?name=a", { method: "POST", body, headers })).status, 415)
      }
      assert.strictEqual((yield* you.ask("./messages", { method: "OPTIONS" })).status, 405)
      assert.deepStrictEqual(yield* list.state(({ conversations }) => conversations), [])
    }).pipe(Effect.scoped)
  )

  it.live("reach no file of the host, whatever the path", () =>
    Effect.gen(function* () {
      const { port } = yield* quiet
      const host = `127.0.0.1:${port}`
      const paths = [
        "/../../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/package.json",
        "//etc/passwd",
        "/page.js%00.css",
        "/index.html/../../WebChat.ts",
        "/.git/config",
        "/WebChat.ts",
        "/page/../handler.ts",
        "/\\..\\..\\x"
      ]
      for (const path of paths) assert.strictEqual((yield* raw(port, path, { host })).status, 404, path)
    }).pipe(Effect.scoped)
  )

  it.live("who are other people have their own conversations and files alone", () =>
    Effect.gen(function* () {
      const page = yield* openPage({
        script: ({ prompt }) => [{ type: "text", text: prompt }],
        bridge: { access: { users: ["ann", "staff"] } },
        listen: {
          authorize: (request) => {
            const [, id = ""] = /^Bearer (\w+)$/.exec(request.headers.get("authorization") ?? "") ?? []
            return id === "ben" ? { id, roles: ["staff"] } : ["ann", "eve"].includes(id) ? { id } : { id: "../ann" }
          }
        }
      })
      const [ann, ben, eve, odd] = ["ann", "ben", "eve", "odd"].map((token) => visitor(page.base, token))
      if (ann === undefined || ben === undefined || eve === undefined || odd === undefined) return assert.fail()
      const { id } = yield* ann.say("secret plans")
      yield* (yield* ann.read()).until((rows) => rows.some(({ row }) => row === "answer"))
      const headers = { "content-type": "application/octet-stream" }
      const upload = yield* ann.ask("./files?name=a.txt", { method: "POST", body: "secret", headers })
      const file = yield* Effect.promise(() => upload.json() as Promise<{ readonly fileId: string }>)
      const theirs = [
        ben.get(`./events?conversation=${ann.conversation}`),
        ben.get(`./rows?conversation=${ann.conversation}`),
        ben.get(`./conversations/${ann.conversation}/export`),
        ben.post(`./conversations/${ann.conversation}`, { title: "mine" }),
        ben.press({ do: "stop" }, uuid(), ann.conversation),
        ben.press({ do: "show", row: 1 }, uuid(), ann.conversation),
        ben.get(`./files/${file.fileId}`),
        ben.say("look", { files: [file.fileId] })
      ]
      for (const answer of theirs) {
        const { status, ...rest } = yield* answer
        assert.strictEqual(status, 404)
        assert.notInclude(JSON.stringify(rest), "secret")
      }
      // The same id of a message, and of a conversation, is another one for another person.
      assert.strictEqual(
        (yield* ben.post("./messages", { id, conversation: ann.conversation, text: "mine" })).status,
        202
      )
      const rows = yield* (yield* ben.read(`./events?conversation=${ann.conversation}`)).until(
        (all) => all.some(({ row }) => row === "answer") && all
      )
      assert.notInclude(JSON.stringify(rows), "secret")
      // An unlisted person is told so, and nothing of theirs is stored; an id with a slash is invalid.
      assert.strictEqual((yield* eve.say("let me in")).status, 403)
      for (const path of ["./state", "./events", `./rows?conversation=${uuid()}`, `./files/${uuid()}`]) {
        assert.strictEqual((yield* eve.ask(path)).status, 403, path)
      }
      const { status, error } = yield* odd.say("let me in")
      assert.strictEqual(status, 403)
      assert.include(error, "in a form that cannot be used")
      const { store } = page
      const stored = yield* store.read(store.sql<object>`select * from web_rows where body like '%let me in%'`)
      assert.deepStrictEqual(stored, [])
    }).pipe(Effect.scoped)
  )
})

describe("streams", () => {
  it.live("that are opened at once are counted at once, and those that are gone are not", () =>
    Effect.gen(function* () {
      const { you } = yield* quiet
      const open = Effect.gen(function* () {
        const aborts = Array.from({ length: 60 }, () => new AbortController())
        const opening = aborts.map(({ signal }) => you.ask("./events", { signal }))
        const statuses = (yield* Effect.all(opening, { concurrency: "unbounded" })).map(({ status }) => status)
        for (const abort of aborts) abort.abort()
        return statuses
      })
      const statuses = yield* open
      // One more is that of the test itself.
      assert.strictEqual(statuses.filter((status) => status === 200).length, 31)
      assert.deepStrictEqual([...new Set(statuses)].sort(), [200, 429])
      const free = Effect.map(you.ask("./events"), ({ status }) => status === 200)
      assert.isTrue(yield* Effect.repeat(free, { until: (isFree) => isFree, schedule: Schedule.spaced("20 millis") }))
    }).pipe(Effect.scoped)
  )
})

describe("what the application tells", () => {
  it.live("is the same for all who ask while it is found out", () =>
    Effect.gen(function* () {
      const found = Promise.withResolvers<ReadonlyArray<WebAgent>>()
      let requested = 0
      const agents = () => {
        requested += 1
        return requested === 1 ? found.promise : [{ id: "test", name: "late" }]
      }
      const opening = yield* Effect.forkScoped(openPage({ script: [], listen: { agents } }), { startImmediately: true })
      yield* Effect.repeat(Effect.yieldNow, { until: () => requested === 1 })
      found.resolve([{ id: "test", name: "Test" }])
      const { you } = yield* Fiber.join(opening)
      const states = yield* Effect.all([you.get("./state"), you.get("./state")], { concurrency: 2 })
      for (const { agents: visible } of states) assert.strictEqual(visible.length, 1)
    }).pipe(Effect.scoped)
  )

  it.live("is asked again after a turn, which has cost something", () =>
    Effect.gen(function* () {
      let spent = 0
      const script = () => {
        spent = 0.25
        return []
      }
      const { you, list } = yield* openPage({
        script,
        listen: { budget: () => ({ name: "today", spent, reserved: 0, limit: 1 }) }
      })
      assert.strictEqual((yield* you.get("./state")).budget.spent, 0)
      yield* you.say("hello")
      const budget = yield* list.state(
        ({ conversations, budget: current }) => conversations[0]?.state === "done" && current
      )
      assert.strictEqual(budget.spent, 0.25)
    }).pipe(Effect.scoped)
  )
})

describe("bad input", () => {
  it.live("is refused with what is wrong, and changes nothing", () =>
    Effect.gen(function* () {
      const { you } = yield* quiet
      const good = { id: uuid(), conversation: you.conversation, text: "hello" }
      const post = (body: string) =>
        you.ask("./messages", { method: "POST", body, headers: { "content-type": "application/json" } })
      const cases: ReadonlyArray<readonly [string, number, string]> = [
        ["", 400, "not JSON"],
        ["{", 400, "not JSON"],
        ["[]", 400, "form"],
        ["[".repeat(200_000), 400, "not JSON"],
        [JSON.stringify({ ...good, id: "1" }), 400, '"id"'],
        [JSON.stringify({ ...good, conversation: "../x" }), 400, '"conversation"'],
        [JSON.stringify({ ...good, text: "x".repeat(100_001) }), 400, '"text"'],
        [JSON.stringify({ ...good, text: "  " }), 400, "empty"],
        [JSON.stringify({ ...good, how: "now" }), 400, '"how"'],
        [JSON.stringify({ ...good, files: [uuid()] }), 404, "no longer kept"],
        [JSON.stringify({ ...good, files: Array.from({ length: 21 }, uuid) }), 400, '"files"'],
        [JSON.stringify({ ...good, text: "x".repeat(1_100_000) }), 413, "too large"]
      ]
      for (const [body, status, word] of cases) {
        const response = yield* post(body)
        const { error } = yield* Effect.promise(() => response.json() as Promise<{ readonly error: string }>)
        assert.strictEqual(response.status, status, body.slice(0, 60))
        assert.include(error, word)
      }
      assert.strictEqual((yield* you.press({ do: "everything" })).status, 400)
      assert.strictEqual((yield* you.press({ do: "stop" })).status, 404)
      assert.strictEqual((yield* you.get("./events?conversation=x")).status, 404)
    }).pipe(Effect.scoped)
  )

  it.live("is slowed down where it comes too fast, and others are not", () =>
    Effect.gen(function* () {
      const page = yield* openPage({
        script: [],
        bridge: { access: { owners: ["ann", "ben"] } },
        listen: {
          authorize: (request) => ({ id: request.headers.get("authorization")?.slice("Bearer ".length) ?? "" })
        }
      })
      const [ann, ben] = [visitor(page.base, "ann"), visitor(page.base, "ben")]
      const statuses = yield* Effect.forEach(
        Array.from({ length: 200 }),
        () => Effect.tap(ann.ask("./state"), (response) => Effect.promise(() => response.text())),
        { concurrency: 8 }
      )
      const refused = statuses.find(({ status }) => status === 429)
      assert.isAtLeast(statuses.filter(({ status }) => status === 200).length, 100)
      assert.strictEqual(refused?.headers.get("retry-after"), "5")
      assert.strictEqual((yield* ben.ask("./state")).status, 200)
    }).pipe(Effect.scoped)
  )
})

describe("ids of people as identity providers have them", () => {
  it.live.each(["auth0|65a1", "google-oauth2|1042", "ann@example.com", "a:b", "00u1!$&'()*+,;=~"])("%s", (id) =>
    Effect.gen(function* () {
      const { you } = yield* openPage({
        script: [{ type: "text", text: "it ran" }],
        bridge: { access: { users: [id] } },
        listen: { authorize: () => ({ id }) }
      })
      assert.strictEqual((yield* you.say("hello")).status, 202)
      yield* (yield* you.read()).until((rows) => rows.some(({ row }) => row === "answer"))
    }).pipe(Effect.scoped)
  )
})

describe("too much", () => {
  it.live("of a file is refused while it comes, and not kept", () =>
    Effect.gen(function* () {
      const { you, port, token, store } = yield* quiet
      const host = `127.0.0.1:${port}`
      const own = { host, authorization: `Bearer ${token}`, "content-type": "application/octet-stream" }
      const reported = yield* raw(port, "/files?name=big", { ...own, "content-length": "50000000" }, "POST", "x").pipe(
        Effect.timeoutOption("3 seconds")
      )
      assert.strictEqual(reported._tag === "Some" ? reported.value.status : 413, 413)
      // Without a length, it is counted.
      const chunk = new Uint8Array(1_000_000)
      let sent = 0
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += 1
          if (sent > 50) controller.close()
          else controller.enqueue(chunk)
        }
      })
      const headers = { "content-type": "application/octet-stream" }
      const response = yield* Effect.promise(() =>
        fetch(new URL("./files?name=big", `http://${host}`), {
          ...{ method: "POST", body, duplex: "half", headers: { ...headers, authorization: `Bearer ${token}` } }
        } as RequestInit)
      )
      assert.strictEqual(response.status, 413)
      assert.include(yield* Effect.promise(() => response.text()), "20 MB")
      assert.deepStrictEqual(yield* store.read(store.sql<object>`select * from web_files`), [])
      const good = yield* you.ask("./files?name=..%2F..%2Fa%22b.png", { method: "POST", body: "hello", headers })
      const stored = yield* Effect.promise(
        () => good.json() as Promise<{ readonly fileId: string; readonly [name: string]: unknown }>
      )
      assert.deepInclude(stored, { name: "a'b.png", bytes: 5, kind: "document" })
      const got = yield* you.ask(`./files/${stored.fileId}`)
      assert.strictEqual(yield* Effect.promise(() => got.text()), "hello")
      assert.include(got.headers.get("content-disposition"), "attachment")
      assert.include(got.headers.get("content-security-policy"), "sandbox")
      assert.strictEqual(got.headers.get("x-content-type-options"), "nosniff")
    }).pipe(Effect.scoped)
  )

  it.live("of connections leaves the host up, and those that read go on", () =>
    Effect.gen(function* () {
      const { you, port, list } = yield* quiet
      const sockets = yield* Effect.acquireRelease(
        Effect.sync(() =>
          Array.from({ length: 1_000 }, () => {
            const socket = connect(port, "127.0.0.1")
            socket.on("error", () => {})
            // The beginning of a request, and then nothing.
            socket.write("GET /state HTTP/1.1\r\nHost: x\r\n")
            return socket
          })
        ),
        (open) => Effect.sync(() => open.forEach((socket) => void socket.destroy()))
      )
      yield* Effect.promise(() =>
        Promise.all(
          sockets.slice(0, 100).map(
            (socket) =>
              new Promise((done) =>
                socket
                  .once(socket.connecting ? "connect" : "ready", done)
                  .once("close", done)
                  .once("error", done)
              )
          )
        )
      )
      const { status } = yield* you.say("still there?")
      assert.strictEqual(status, 202)
      yield* list.state(({ conversations }) => conversations[0]?.state === "done" && conversations.length === 1)
    }).pipe(Effect.scoped)
  )

  it.live("of open streams is refused for each person", () =>
    Effect.gen(function* () {
      const { you } = yield* quiet
      const streams = yield* Effect.forEach(Array.from({ length: 40 }), () => you.ask("./events"), { concurrency: 4 })
      const open = streams.filter(({ status }) => status === 200)
      assert.isAtMost(open.length, 33)
      assert.strictEqual(streams.at(-1)?.status, 429)
      yield* Effect.promise(() => Promise.all(open.map((response) => response.body?.cancel())))
    }).pipe(Effect.scoped)
  )

  it.live("that is not read waits in no memory: a stalled reader is cut off, and the others go on", () =>
    Effect.gen(function* () {
      const long = "word ".repeat(20_000)
      const { you, port, token } = yield* openPage({
        script: () => Array.from({ length: 30 }, () => ({ type: "thinking", text: long }))
      })
      yield* you.say("go")
      const { until } = yield* you.read()
      yield* until((rows) => rows.some(({ row }) => row === "done"))
      const socket = connect(port, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
      socket.pause()
      socket.write(
        `GET /events?conversation=${you.conversation} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
      )
      yield* Effect.callback<void>((resume) => void socket.once("ready", () => resume(Effect.void)))
      const before = process.memoryUsage().rss
      for (let time = 0; time < 5; time++) assert.strictEqual((yield* you.say("next")).status, 202)
      yield* until((rows) => rows.filter(({ row }) => row === "done").length >= 2)
      assert.isBelow(process.memoryUsage().rss - before, 150_000_000)
    }).pipe(Effect.scoped)
  )
})

describe("a page that is not to be opened so", () => {
  it.effect.each([
    ["allowRemote", { allowRemote: true }, "needs tls"],
    ["host", { host: "0.0.0.0" }, "can be reached by others"],
    ["hosts", { host: "0.0.0.0", allowRemote: true, tls: { key: "", cert: "" } }, "is empty"],
    ["token", { token: "short" }, "too short"],
    ["port", { port: 70_000 }, "is not a port"],
    ["accountId", { accountId: "a/b" }, "accountId"],
    ["accountId", { group: "web", accountId: "web." }, "such as"],
    ["accountId", { group: "web" }, "of a page of the group web"],
    ["uploadBytes", { uploadBytes: -1 }, "from 0 to"]
  ] as const)("is refused: %s", ([option, input, word]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(WebChat.listen(input)).pipe(Effect.provide(Store.layerMemory()))
      assert.strictEqual(error._tag, "InvalidParams")
      if (error._tag === "InvalidParams") assert.strictEqual(error.option, option)
      assert.include(error.message, word)
    }).pipe(Effect.scoped)
  )

  it.live("says that its port is taken", () =>
    Effect.gen(function* () {
      const { port } = yield* quiet
      const error = yield* Effect.flip(WebChat.listen({ port })).pipe(Effect.provide(Store.layerMemory()))
      assert.strictEqual(error._tag, "PortTaken")
      assert.include(error.message, `Port ${port}`)
    }).pipe(Effect.scoped)
  )
})

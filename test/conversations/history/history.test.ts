import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { SessionFilter, SessionRef } from "../../../src/contract/Sessions.ts"
import type { OpenStore } from "../../../src/conversations/store/OpenStore.ts"
import { addRow, addSession } from "../kit/rows.ts"
import { inMemory, reasonOf, type Setting } from "./kit.ts"

const join = ({ sql, transact }: OpenStore, name: string, key: string, cli = "claude") =>
  transact(
    Effect.gen(function* () {
      const conversation = JSON.stringify([name])
      yield* sql`insert into conversations ${sql.insert({ conversation, cli, session_key: key })}`
      yield* sql`update sessions set conversation = ${conversation} where key = ${key}`
    })
  )

const listed = ({ history }: Setting, filter?: SessionFilter) =>
  Effect.map(Stream.runCollect(history.list(filter)), (sessions) => sessions.map(({ id }) => id))

describe("list", () => {
  it.effect("has the last used first, over any number of pages", () =>
    inMemory((setting) =>
      Effect.gen(function* () {
        const used = Array.from({ length: 250 }, (_, index) => (index * 7919) % 100)
        for (const [index, at] of used.entries()) yield* addSession(setting.store, { key: `k${index}`, used: at })
        const all = yield* Stream.runCollect(setting.history.list())
        expect(all).toHaveLength(250)
        expect(new Set(all.map(({ id }) => id)).size).toBe(250)
        const times = all.map(({ usedAt }) => usedAt)
        expect(times).toEqual(times.toSorted((a, b) => b - a))
      })
    )
  )

  it.effect("by CLI, directory, conversation and number; those put away only if asked for", () =>
    inMemory((setting) =>
      Effect.gen(function* () {
        const { store } = setting
        yield* addSession(store, { key: "a", used: 4, directory: "/a" })
        yield* addSession(store, { key: "b", used: 3, cli: "codex" })
        yield* addSession(store, { key: "c", used: 2, state: "archived" })
        yield* addSession(store, { key: "d", used: 1, state: "dead" })
        yield* join(store, "billing", "a")
        expect(yield* listed(setting)).toEqual(["a", "b"])
        expect(yield* listed(setting, { all: true })).toEqual(["a", "b", "c", "d"])
        expect(yield* listed(setting, { cli: "codex" })).toEqual(["b"])
        expect(yield* listed(setting, { directory: "/a" })).toEqual(["a"])
        expect(yield* listed(setting, { conversation: "billing" })).toEqual(["a"])
        expect(yield* listed(setting, { conversation: ["billing", "x"] })).toEqual([])
        expect(yield* listed(setting, { all: true, limit: 3 })).toEqual(["a", "b", "c"])
      })
    )
  )

  it.effect("tells who uses a session", () =>
    inMemory((setting) =>
      Effect.gen(function* () {
        yield* addSession(setting.store)
        setting.held.add("id-of-key-1")
        const [session] = yield* Stream.runCollect(setting.history.list())
        expect(session?.holder?.pid).toBe(4711)
      })
    )
  )

  it.effect("has no row that controls a terminal, and leaves out rows that are not sessions", () =>
    inMemory((setting) =>
      Effect.gen(function* () {
        const { store } = setting
        const title = "\u001b]0;owned\u0007 a\nb \u202e c"
        yield* addSession(store, { key: "a", title, directory: "/\u001b[2J", model: "m\u0000", conversation: "no key" })
        yield* store.transact(store.sql`update sessions set title = title || ${"x".repeat(10_000)}`)
        const sessions = yield* Stream.runCollect(setting.history.list())
        const [{ title: visible = "", directory: place = "", model = "" } = {}] = sessions
        expect(visible + place + model).not.toMatch(/[\u0000-\u001f\u202e]/)
        expect(sessions[0]?.title?.length).toBeLessThanOrEqual(200)
        expect(sessions[0]?.title).toMatch(/^\\u001b\]0;owned\\u0007 a b \\u202e c/)
        expect(sessions[0]?.conversation).toBeUndefined()
      })
    )
  )

  it.effect.each([{ limit: -1 }, { cli: 1 }, { nonsense: true }, { conversation: [] }])("refuses %j", (filter) =>
    inMemory(({ history }) =>
      Effect.gen(function* () {
        const reason = yield* reasonOf(Stream.runDrain(history.list(filter as SessionFilter)))
        expect(reason._tag).toBe("InvalidParams")
      })
    )
  )
})

describe("get", () => {
  const found = (ref: SessionRef) =>
    inMemory(({ store, history }) =>
      Effect.gen(function* () {
        yield* addSession(store, { key: "aaaa-1", session_id: "ses_1" })
        yield* addSession(store, { key: "aaaa-2", session_id: "ses_2", cli: "opencode" })
        yield* addSession(store, { key: "bbbb-3", session_id: "same" })
        yield* addSession(store, { key: "bbbb-4", session_id: "same", cli: "codex" })
        yield* join(store, "billing", "aaaa-1")
        yield* join(store, "both", "bbbb-3")
        yield* join(store, "both", "bbbb-4", "codex")
        return yield* Effect.result(history.get(ref))
      })
    )

  it.effect.each<readonly [SessionRef, string]>([
    ["aaaa-1", "aaaa-1"],
    ["ses_2", "aaaa-2"],
    ["billing", "aaaa-1"],
    ["aaaa-2", "aaaa-2"],
    ["bbbb-3", "bbbb-3"],
    ["bbbb-3".slice(0, 6), "bbbb-3"],
    ["`opencode --session ses_2`", "aaaa-2"],
    [{ cli: "codex", sessionId: "same" }, "bbbb-4"],
    [{ conversation: "billing" }, "aaaa-1"],
    [{ conversation: ["both"], cli: "codex" }, "bbbb-4"]
  ])("%j", ([ref, id]) =>
    Effect.map(found(ref), (result) => expect(result).toMatchObject({ _tag: "Success", success: { id } }))
  )

  it.effect.each<readonly [SessionRef, object]>([
    ["aaaa", { _tag: "AmbiguousSession", candidates: ["aaaa-1", "aaaa-2"] }],
    ["same", { _tag: "AmbiguousSession", candidates: ["bbbb-3", "bbbb-4"] }],
    ["both", { _tag: "AmbiguousSession" }],
    [{ conversation: "both" }, { _tag: "AmbiguousSession" }],
    ["biling", { _tag: "UnknownSession", nearest: "billing" }],
    ["", { _tag: "UnknownSession" }],
    ["-x", { _tag: "UnknownSession" }],
    ["../x", { _tag: "UnknownSession" }],
    ["a\nb", { _tag: "UnknownSession" }],
    ["a%", { _tag: "UnknownSession" }],
    ["' or 1 = 1 --", { _tag: "UnknownSession" }],
    ["x".repeat(2 ** 20), { _tag: "UnknownSession", session: `${"x".repeat(200)}…` }],
    [{ cli: "claude", sessionId: "../x" }, { _tag: "UnknownSession" }],
    [{ cli: "nobody", sessionId: "ses_1" }, { _tag: "UnknownSession" }],
    [{ conversation: "other" }, { _tag: "UnknownSession" }],
    [{ conversation: "" }, { _tag: "InvalidParams", option: "conversation" }],
    [{} as SessionRef, { _tag: "InvalidParams", option: "session" }],
    [null as unknown as SessionRef, { _tag: "InvalidParams", option: "session" }]
  ])("fails for %j", ([ref, reason]) =>
    Effect.map(found(ref), (result) => expect(result).toMatchObject({ _tag: "Failure", failure: { reason } }))
  )
})

describe("rename", () => {
  it.effect("gives a title of one line", () =>
    inMemory(({ store, history }) =>
      Effect.gen(function* () {
        yield* addSession(store)
        expect((yield* history.rename("key-1", " the\nbill \u001b[31m")).title).toBe("the bill \\u001b[31m")
        expect((yield* history.get("key-1")).title).toBe("the bill \\u001b[31m")
        expect((yield* history.rename("key-1", "x".repeat(2 ** 20))).title).toHaveLength(200)
        for (const title of ["", "\n ", undefined as unknown as string]) {
          expect((yield* reasonOf(history.rename("key-1", title)))._tag).toBe("InvalidParams")
        }
      })
    )
  )
})

const addTurn = ({ sql, transact }: OpenStore, session_key: string) => {
  const turn = { conversation: '["billing"]', cli: "claude", seq: 1, state: "done", digest: "d", created: 1 }
  return transact(
    sql`insert into turns ${sql.insert({ ...turn, turn_id: "t", session_key, prompt: "secret", params: "secret", result: "secret" })}`
  )
}

describe("forget", () => {
  it.effect("removes the row, the transcript, the texts of turns, and what the conversation remembers", () =>
    inMemory(({ store, history }) =>
      Effect.gen(function* () {
        const { sql, read } = store
        yield* addSession(store)
        yield* addSession(store, { key: "other" })
        yield* join(store, "billing", "key-1")
        yield* addTurn(store, "key-1")
        for (let position = 1; position <= 1_200; position++) yield* addRow(store, position, "{}")
        yield* addRow(store, 1, "{}", "other")
        yield* history.forget({ conversation: "billing" })
        expect(yield* read(sql`select key from sessions`)).toEqual([{ key: "other" }])
        expect(yield* read(sql`select session_key from transcript`)).toEqual([{ session_key: "other" }])
        expect(yield* read(sql`select * from conversations`)).toEqual([])
        const [turn] = yield* read(sql`select prompt, params, result, digest from turns`)
        expect(turn).toEqual({ prompt: null, params: null, result: null, digest: "d" })
        expect((yield* reasonOf(history.forget("key-1")))._tag).toBe("UnknownSession")
      })
    )
  )

  it.effect("is refused while the session is used, and nothing is removed", () =>
    inMemory(({ store, history, held }) =>
      Effect.gen(function* () {
        yield* addSession(store)
        yield* addRow(store, 1, "{}")
        held.add("id-of-key-1")
        expect(yield* reasonOf(history.forget("key-1"))).toMatchObject({ _tag: "SessionBusy", what: "session" })
        expect((yield* history.get("key-1")).id).toBe("key-1")
        expect(yield* store.read(store.sql`select position from transcript`)).toEqual([{ position: 1 }])
      })
    )
  )
})

describe("archive", () => {
  it.effect("puts a session away until it is adopted", () =>
    inMemory((setting) =>
      Effect.gen(function* () {
        const { store, history } = setting
        yield* addSession(store)
        yield* join(store, "billing", "key-1")
        expect((yield* history.archive("key-1")).state).toBe("archived")
        expect(yield* listed(setting)).toEqual([])
        expect((yield* reasonOf(history.get({ conversation: "billing" })))._tag).toBe("UnknownSession")
        const adopted = yield* history.adopt("key-1", { conversation: "billing" })
        expect(adopted).toMatchObject({ state: "live", conversation: ["billing"] })
        expect((yield* history.get({ conversation: "billing" })).id).toBe("key-1")
      })
    )
  )
})

describe("clear", () => {
  it.effect("makes a conversation forget its sessions, of one CLI or of all, and keeps them", () =>
    inMemory(({ store, history, held }) =>
      Effect.gen(function* () {
        yield* addSession(store, { key: "a" })
        yield* addSession(store, { key: "b", cli: "codex" })
        yield* join(store, "x", "a")
        yield* join(store, "x", "b", "codex")
        yield* history.clear("x", "claude")
        expect((yield* history.get({ conversation: "x" })).id).toBe("b")
        held.add("x")
        expect(yield* reasonOf(history.clear("x"))).toMatchObject({ _tag: "SessionBusy", what: "conversation" })
        held.delete("x")
        yield* history.clear("x")
        expect((yield* reasonOf(history.get({ conversation: "x" })))._tag).toBe("UnknownSession")
        expect((yield* history.get("a")).id).toBe("a")
        expect((yield* reasonOf(history.clear("")))._tag).toBe("InvalidParams")
      })
    )
  )
})

describe("fork", () => {
  it.effect("marks a conversation, whose next turn makes the copy", () =>
    inMemory(({ store, history }) =>
      Effect.gen(function* () {
        yield* addSession(store)
        yield* join(store, "billing", "key-1")
        const parent = yield* history.fork({ conversation: "billing" }, { conversation: "other" })
        expect(parent).toMatchObject({ id: "key-1", conversation: ["billing"] })
        const rows = yield* store.read(store.sql`select conversation, session_key, forks from conversations order by 1`)
        expect(rows).toEqual([
          { conversation: '["billing"]', session_key: "key-1", forks: 0 },
          { conversation: '["other"]', session_key: "key-1", forks: 1 }
        ])
      })
    )
  )

  it.effect("is refused for a CLI that has no forks, and without a conversation", () =>
    inMemory(({ store, history }) =>
      Effect.gen(function* () {
        yield* addSession(store, { cli: "gemini" })
        expect(yield* reasonOf(history.fork("key-1", { conversation: "x" }))).toMatchObject({
          _tag: "UnsupportedOption",
          cli: "gemini"
        })
        expect((yield* reasonOf(history.fork("key-1", {} as never)))._tag).toBe("InvalidParams")
      })
    )
  )
})

describe("export", () => {
  it.effect("is made of the transcript", () =>
    inMemory(({ store, history }) =>
      Effect.gen(function* () {
        yield* addSession(store, { title: "a title" })
        yield* addRow(store, 1, '{"type":"prompt","text":"why?"}')
        yield* addRow(store, 2, '{"type":"text","text":"Because."}')
        yield* addRow(store, 3, '{"type":"hologram"}')
        const [one, other] = yield* Effect.all(
          [Stream.mkString(history.export("key-1", "markdown")), Stream.mkString(history.export("key-1", "json"))],
          { concurrency: 2 }
        )
        expect(one).toContain("# a title\n")
        expect(one).toContain("- Go on with it: `claude --resume id-of-key-1`\n")
        expect(one).toContain("> why?\n\n**Agent**\n\n> Because.\n")
        const lines = other
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
        expect(lines[0]).toMatchObject({ session: { id: "key-1", title: "a title" } })
        expect(lines.slice(1).map(({ position, event }) => [position, event.type])).toEqual([
          [1, "prompt"],
          [2, "text"],
          [3, "unknown"]
        ])
      })
    )
  )

  it.effect("fails where nothing is kept, and for a form that there is not", () =>
    inMemory(({ store, history }) =>
      Effect.gen(function* () {
        yield* addSession(store)
        expect((yield* reasonOf(Stream.runDrain(history.export("key-1", "markdown"))))._tag).toBe("NotKept")
        expect((yield* reasonOf(Stream.runDrain(history.export("nobody", "json"))))._tag).toBe("UnknownSession")
        expect((yield* reasonOf(Stream.runDrain(history.export("key-1", "pdf" as "json"))))._tag).toBe("InvalidParams")
      })
    )
  )
})

it.effect("events of a session are read by any of its names", () =>
  inMemory(({ store, history }) =>
    Effect.gen(function* () {
      yield* addSession(store)
      yield* addRow(store, 1, '{"type":"text","text":"a"}')
      const events = yield* Stream.runCollect(history.events("id-of-key-1", { follow: false }))
      expect(events.map(({ position }) => position)).toEqual([1])
      expect((yield* reasonOf(Stream.runDrain(history.events("nobody"))))._tag).toBe("UnknownSession")
    })
  )
)

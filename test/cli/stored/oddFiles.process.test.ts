/** Old, broken and hostile files in the homes of CLIs: listed, or left out with a reason; never a failure, never a change. */
import { execFileSync } from "node:child_process"
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { everything, find, list, makeHome, read } from "./kit.ts"

const id = (n: number) => `${String(n).padStart(8, "0")}-1111-4111-8111-111111111111`

/** Where each CLI with files has those of a session, and a recording to make them of. */
const homes = {
  claude: { scenario: "plain", file: (n: number) => `projects/-workspace/${id(n)}.jsonl`, own: id(11111111) },
  codex: {
    scenario: "plain",
    file: (n: number) => `sessions/2026/11/22/rollout-2026-11-22T08-38-12-${id(n)}.jsonl`,
    own: "01a20267-e3d3-78f1-aed7-c079fd847639"
  },
  gemini: {
    scenario: "plain",
    file: (n: number) => `tmp/workspace/chats/session-2026-11-22T08-38-${id(n).slice(0, 8)}.jsonl`,
    own: id(11111111)
  },
  pi: {
    scenario: "plain",
    file: (n: number) => `sessions/--workspace--/2026-11-28T23-11-58-160Z_${id(n)}.jsonl`,
    own: "01a2246d-fecc-7482-aa5e-ab33d349188a"
  }
} as const

const withFiles = Object.keys(homes) as ReadonlyArray<keyof typeof homes> // its own keys

const world = (cli: keyof typeof homes) => {
  const made = makeHome(cli, homes[cli].scenario)
  const path = (n: number) => join(made.home, homes[cli].file(n))
  const recording =
    readdirSync(made.home, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".jsonl")) ?? ""
  const text = readFileSync(join(made.home, recording), "utf8")
  /** The same session under another id. */
  const as = (n: number) => text.replaceAll(homes[cli].own, id(n))
  return { ...made, path, as, recording: join(made.home, recording) }
}

describe.each(withFiles)("%s", (cli) => {
  it("leaves out files that are not sessions, and says why", async () => {
    using made = world(cli)
    const { of, home, path } = made
    writeFileSync(path(1), "")
    writeFileSync(path(2), "this is not JSON\n{]\n")
    writeFileSync(path(3), Buffer.from(Array.from({ length: 4096 }, (_, n) => n % 256)))
    mkdirSync(path(4))
    execFileSync("mkfifo", [path(5)])
    writeFileSync(join(made.user, "secret"), made.as(6))
    symlinkSync(join(made.user, "secret"), path(6))
    writeFileSync(path(7), "[".repeat(200_000))
    const before = everything(home)
    const { sessions, warnings } = await list(of)
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([homes[cli].own])
    for (const n of [1, 2, 3, 4, 5, 6, 7]) {
      expect(warnings.filter((warning) => warning.includes(id(n).slice(0, 8)))).toHaveLength(1)
    }
    expect(warnings.join("\n")).toMatch(/is empty/)
    expect(warnings.join("\n")).toMatch(/is not a regular file/)
    expect(warnings.join("\n")).toMatch(/symbolic link that leads out of the CLI's home/)
    for (const n of [1, 2, 3, 4, 5, 6, 7]) expect(await read(of, id(n))).toBeUndefined()
    expect(everything(home)).toEqual(before)
  })

  it("follows a link inside of its home, and a home that is a link", async () => {
    using made = world(cli)
    const moved = join(made.user, "elsewhere")
    renameSync(made.home, moved)
    symlinkSync(moved, made.home)
    mkdirSync(join(moved, "kept"))
    writeFileSync(join(moved, "kept", "1"), made.as(1))
    symlinkSync(join(moved, "kept", "1"), made.path(1))
    const { sessions } = await list(made.of)
    expect(sessions.length).toBeGreaterThan(0)
  })

  it("reads a session of another version, with unknown lines, a last line that is cut, and control characters", async () => {
    using made = world(cli)
    const strange = `${JSON.stringify({ type: "from-the-future", payload: { type: "x" }, timestamp: 7, cwd: 5, message: [] })}\n`
    const odd = made
      .as(1)
      .replaceAll(/"(version|cli_version)":"[^"]*"/g, '"$1":"9.9.9"')
      .replaceAll("Say hello to", String.raw`\u001b[31mSay\u0000 \u202ehello\nto`)
    const lines = odd.trimEnd().split("\n")
    writeFileSync(made.path(1), `${lines.join(`\n${strange}`)}\n{"type":"user","message":{"role":"us`)
    rmSync(made.recording)
    const { sessions } = await list(made.of)
    expect(sessions).toMatchObject([
      { sessionId: id(1), title: "Say hello to the team, please", directory: "/workspace", turns: 1 }
    ])
    const items = (await read(made.of, id(1))) ?? []
    expect(items.flatMap((item) => ("prompt" in item ? item.prompt : []))).toHaveLength(1)
    expect(
      items.flatMap((item) => ("event" in item && item.event.type === "text" ? item.event.text : []))
    ).toHaveLength(1)
  })

  it("reads both ends of a long session", async () => {
    using made = world(cli)
    const lines = made.as(1).trimEnd().split("\n")
    const filler = `${JSON.stringify({ type: "attachment", text: "x".repeat(100_000) })}\n`
    writeFileSync(made.path(1), `${lines.slice(0, -2).join("\n")}\n`)
    for (let n = 0; n < 500; n++) appendFileSync(made.path(1), filler)
    appendFileSync(made.path(1), `${lines.slice(-2).join("\n")}\n`)
    rmSync(made.recording)
    const { sessions } = await list(made.of)
    expect(sessions).toMatchObject([
      { sessionId: id(1), title: "Say hello to the team, please", directory: "/workspace" }
    ])
    expect((await read(made.of, id(1)))?.length).toBeGreaterThan(2)
  })

  it("lists the newest 200 of many", async () => {
    using made = world(cli)
    rmSync(made.recording)
    for (let n = 1; n <= 230; n++) {
      writeFileSync(made.path(n), made.as(n))
      utimesSync(made.path(n), n, n)
    }
    const { sessions } = await list(made.of)
    expect(sessions.map(({ sessionId }) => sessionId).toSorted()).toEqual(
      Array.from({ length: 200 }, (_, n) => id(n + 31)).toSorted()
    )
    expect(await find(made.of, id(1))).toMatchObject({ sessionId: id(1) })
  })

  it("has nothing where the CLI was never used, or its home is a file", async () => {
    using made = world(cli)
    rmSync(made.home, { recursive: true })
    expect(await list(made.of)).toEqual({ sessions: [], warnings: [] })
    writeFileSync(made.home, "no directory")
    expect(await list(made.of)).toEqual({ sessions: [], warnings: [] })
  })
})

describe("a directory", () => {
  it("that leads out of the home is not followed", async () => {
    using made = world("claude")
    const outside = join(made.user, "outside")
    mkdirSync(outside)
    writeFileSync(join(outside, `${id(1)}.jsonl`), made.as(1))
    symlinkSync(outside, join(made.home, "projects/-link"))
    const { sessions, warnings } = await list(made.of)
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual([homes.claude.own])
    expect(warnings.join()).toMatch(/-link" is a symbolic link that leads out/)
  })
})

describe("ids and paths of strangers", () => {
  it.each([
    ["an option", "-x"],
    ["a path", "../x"],
    ["two words", "a b"],
    ["two lines", "a\nb"],
    ["very long", "x".repeat(1_000_000)],
    ["a command", "$(x);y"],
    ["nothing", ""]
  ])("%s is found nowhere", async (_, sessionId) => {
    for (const cli of withFiles) {
      using made = world(cli)
      expect(await find(made.of, sessionId)).toBeUndefined()
      expect(await read(made.of, sessionId)).toBeUndefined()
    }
  })

  it("are not given on", async () => {
    using made = world("gemini")
    writeFileSync(made.path(1), made.as(1).replaceAll(id(1), "-rf /"))
    writeFileSync(join(made.home, "tmp/workspace/.project_root"), "/work\u001b[2Jspace")
    const { sessions, warnings } = await list(made.of)
    expect(sessions.map(({ sessionId, directory }) => [sessionId, directory])).toEqual([[homes.gemini.own, undefined]])
    expect(warnings.join()).toMatch(/has an id that cannot be used/)
  })
})

describe("the database of OpenCode", () => {
  const change = (home: string, sql: string) => {
    const db = new DatabaseSync(join(home, "opencode.db"))
    db.exec(sql)
    db.close()
  }

  it("is read with what stands in its journal alone, while OpenCode has it open, and nothing appears or changes", async () => {
    using made = makeHome("opencode", "list")
    const db = new DatabaseSync(join(made.home, "opencode.db"))
    db.exec("PRAGMA journal_mode = WAL; UPDATE session SET title = 'In the journal'")
    const before = everything(made.home)
    expect(before.some((name) => name.startsWith("opencode.db-wal"))).toBe(true)
    expect((await list(made.of)).sessions.map(({ title }) => title)).toEqual(Array(4).fill("In the journal"))
    expect(everything(made.home)).toEqual(before)
    db.close()
    const closed = everything(made.home)
    expect((await list(made.of)).sessions).toHaveLength(4)
    expect(everything(made.home)).toEqual(closed)
  })

  it.each([
    ["no database", (home: string) => writeFileSync(join(home, "opencode.db"), "x".repeat(10_000)), /not a database/],
    ["empty", (home: string) => truncateSync(join(home, "opencode.db"), 0), /is empty/],
    [
      "a directory",
      (home: string) => [rmSync(join(home, "opencode.db")), mkdirSync(join(home, "opencode.db"))],
      /regular/
    ],
    ["cut in half", (home: string) => truncateSync(join(home, "opencode.db"), 100_000), /cannot be read|another form/],
    ["without the table", (home: string) => change(home, "ALTER TABLE session RENAME TO sessions"), /another form/],
    ["with another id", (home: string) => change(home, "ALTER TABLE session RENAME COLUMN id TO key"), /another form/],
    [
      "a view that never ends",
      (home: string) =>
        change(
          home,
          "ALTER TABLE session RENAME TO s; CREATE VIEW session AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id FROM n"
        ),
      /another form/
    ]
  ])("%s: is told", async (_, spoil, words) => {
    using made = makeHome("opencode", "list")
    spoil(made.home)
    const { sessions, warnings } = await list(made.of)
    expect(sessions).toEqual([])
    expect(warnings.join("\n")).toMatch(words)
    expect(await read(made.of, "ses_dfd981528ffeouO87uhi4W1nWT")).toBeUndefined()
  })

  it("of another version has what it has: columns that are not there are left out, odd rows too", async () => {
    using made = makeHome("opencode", "list")
    change(
      made.home,
      `ALTER TABLE session DROP COLUMN model; ALTER TABLE session DROP COLUMN cost; ALTER TABLE message RENAME TO messages;
       UPDATE session SET time_updated = 9223372036854775807 WHERE id = 'ses_dfd981528ffeouO87uhi4W1nWT';
       UPDATE session SET title = x'00ff', directory = 'relative' WHERE id = 'ses_dfd97cc6effeHtI3VUWt2huRNW'`
    )
    const { sessions, warnings } = await list(made.of)
    expect(warnings).toEqual([])
    expect(sessions).toHaveLength(4)
    expect(sessions.every((session) => !("model" in session) && !("costUsd" in session) && !("turns" in session))).toBe(
      true
    )
    const odd = sessions.find(({ sessionId }) => sessionId === "ses_dfd97cc6effeHtI3VUWt2huRNW")
    expect([odd?.title, odd?.directory]).toEqual([undefined, undefined])
  })

  it("is where OPENCODE_DB names it", async () => {
    using made = makeHome("opencode", "list")
    renameSync(join(made.home, "opencode.db"), join(made.user, "mine.db"))
    const at = async (OPENCODE_DB: string) =>
      (await list({ ...made.of, env: { ...made.of.env, OPENCODE_DB } })).sessions.length
    expect(await at(join(made.user, "mine.db"))).toBe(4)
    expect(await at("../../../mine.db")).toBe(4)
    expect(await at(":memory:")).toBe(0)
    expect(await at("mine.db")).toBe(0)
  })

  it("with half JSON in a row gives the rest", async () => {
    using made = makeHome("opencode", "list")
    change(made.home, `UPDATE part SET data = substr(data, 1, 10) WHERE data LIKE '%"Again."%'`)
    const items = (await read(made.of, "ses_dfd981528ffeouO87uhi4W1nWT")) ?? []
    const texts = items.flatMap((item) => ("event" in item && item.event.type === "text" ? item.event.text : []))
    expect(texts).toEqual(["Hello team."])
  })
})

describe("the index of Codex", () => {
  const inIndex = "01a20267-e3d3-78f1-aed7-c079fd847639"
  const rename = "UPDATE threads SET name = 'Renamed', archived = 1 WHERE id = '01a20267-e3d3-78f1-aed7-c079fd847639'"

  it("adds the name of a thread; a thread without its file is left out", async () => {
    using made = makeHome("codex", "plain", "state")
    const db = new DatabaseSync(join(made.home, "state_5.sqlite"))
    db.exec(rename)
    db.close()
    const { sessions } = await list(made.of)
    expect(sessions).toMatchObject([
      { sessionId: inIndex, title: "Renamed", directory: "/workspace", state: "archived" }
    ])
    expect(await find(made.of, inIndex)).toMatchObject({ title: "Renamed" })
  })

  it("that cannot be read is told, and the files are enough", async () => {
    using made = makeHome("codex", "plain")
    writeFileSync(join(made.home, "state_7.sqlite"), "x".repeat(5_000))
    const { sessions, warnings } = await list(made.of)
    expect(sessions).toMatchObject([{ sessionId: inIndex, title: "Say hello to the team, please", turns: 1 }])
    expect(warnings.join()).toMatch(/state_7.sqlite" cannot be read/)
  })

  it("of the highest number is the one in use", async () => {
    using made = makeHome("codex", "plain", "state")
    const db = new DatabaseSync(join(made.home, "state_5.sqlite"))
    db.exec(rename)
    db.close()
    renameSync(join(made.home, "state_5.sqlite"), join(made.home, "state_12.sqlite"))
    writeFileSync(join(made.home, "state_9.sqlite"), "")
    expect((await list(made.of)).sessions).toMatchObject([{ title: "Renamed" }])
  })
})

it("a thread of Codex that was forked begins with its parent's turns, up to the fork", async () => {
  using made = makeHome("codex", "forked")
  const parent =
    readdirSync(made.home, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith("0dc.jsonl")) ?? ""
  const later = {
    type: "event_msg",
    payload: {
      type: "item_completed",
      item: { type: "UserMessage", id: "x", content: [{ type: "text", text: "later" }] }
    }
  }
  appendFileSync(join(made.home, parent), `${JSON.stringify(later)}\n`)
  const prompts = async (sessionId: string) =>
    ((await read(made.of, sessionId)) ?? []).flatMap((item) => ("prompt" in item ? item.prompt : []))
  expect(await prompts("01a2026c-bbc2-7c41-bed8-ab596a76a936")).toEqual(["parent prompt", "fork prompt"])
  expect(await prompts("01a2026c-ba90-7150-9828-8bd0365880dc")).toEqual(["parent prompt", "later"])
  rmSync(join(dirname(join(made.home, parent)), parent.slice(parent.lastIndexOf("/") + 1)))
  expect(await prompts("01a2026c-bbc2-7c41-bed8-ab596a76a936")).toEqual(["fork prompt"])
})

/** Sessions as rows: fit to the width, and no text of a stranger steers the terminal. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { CliOutput } from "effect/cli"
import type { SessionInfo } from "../../src/contract/Sessions.ts"
import { ago, shortIds, shownPath } from "../../src/program/sessions/cells.ts"
import { detailLines } from "../../src/program/sessions/perform.ts"
import { sessionLines } from "../../src/program/sessions/table.ts"
import { foreign, unseenIn } from "../kit/foreignText.ts"

const hour = 3_600_000
const now = Date.UTC(2026, 10, 23)
const session: SessionInfo = {
  id: "3f2a91c8-0000",
  cli: "claude",
  sessionId: "s1",
  conversation: ["billing"],
  title: "why does the build fail?",
  directory: "/home/me/code/shop",
  origin: "reins",
  state: "live",
  usedAt: now - 2 * hour,
  turns: 4
}
const held = { ...session, id: "77777777-1", holder: { pid: 4711, host: "box", since: now - hour, runId: "r" } }
const outside: SessionInfo = { cli: "opencode", sessionId: "ses_99", origin: "outside", state: "live", usedAt: 0 }
const sceneOf = (columns: number, live = true) => ({ surface: { live, columns }, now, home: "/home/me" })

const plain = (line: string) => line.replaceAll(/\u001b\[\d+m|[\ue000-\uf8ff]/g, "")

describe("ago", () => {
  it.each([
    [-hour, "just now"],
    [59_999, "just now"],
    [60_000, "1 min ago"],
    [2 * hour, "2 h ago"],
    [47 * hour, "1 d ago"],
    [14 * 24 * hour, "2026-11-09"],
    [Number.NaN, "at an unknown time"],
    [1e300, "at an unknown time"]
  ])("%d ms", (ms, text) => assert.strictEqual(ago(now - ms, now), text))
})

describe("the table", () => {
  it("has a line for each session", () => {
    assert.deepStrictEqual(sessionLines([session, held, outside], sceneOf(120, false)), [
      "ID        TITLE                              CLI       DIRECTORY    LAST USED   TURNS",
      "3f2a91c8  billing: why does the build fail?  claude    ~/code/shop  2 h ago     4",
      "77777777  billing: why does the build fail?  claude    ~/code/shop  2 h ago     4      ● in use by process 4711 on box for 1 h",
      "ses_99    (no title)                         opencode               1970-01-01         outside"
    ])
  })

  it("has a few lines for each where it is narrow", () => {
    assert.deepStrictEqual(sessionLines([held], sceneOf(50)).map(plain), [
      "billing: why does the build fail?",
      "  77777777 · claude · 2 h ago · 4 turns",
      "  ~/code/shop",
      "  ● in use by process 4711 on box for 1 h"
    ])
  })

  it("tells sessions apart by the beginnings of their ids", () => {
    const ids = ["aaaaaaaa-1", "aaaaaaaa-22", "b", "aaaaaaaa-23"].map((id) => ({ ...session, id }))
    assert.deepStrictEqual(shortIds(ids), ["aaaaaaaa-1", "aaaaaaaa-22", "b", "aaaaaaaa-23"])
  })

  const like = (id: string, sessionId = "s1") => ({ ...session, id, sessionId })

  it("never cuts a beginning that tells sessions apart", () => {
    const ids = ["1", "2"].map((end) => `01a1f7fe-c49a-7040-b7b4-2fb1cd2a1fb${end}`)
    const some = ids.map((id) => like(id))
    assert.deepStrictEqual(shortIds(some), ids)
    for (const columns of [50, 120]) {
      const table = sessionLines(some, sceneOf(columns)).map(plain).join("\n")
      for (const id of ids) assert.include(table, id)
    }
  })

  it.each([
    ["of a session that is not listed", [like("aaaaaaaa-2")]],
    ["that a CLI has given", [like("b", "aaaaaaaa-2")]]
  ])("does not show the beginning of another id: %s", (_, others) => {
    assert.deepStrictEqual(shortIds([like("aaaaaaaa-1")], others), ["aaaaaaaa-1"])
    assert.include(sessionLines([like("aaaaaaaa-1")], { ...sceneOf(120), others }).map(plain)[1], "aaaaaaaa-1 ")
  })

  it("shows the end of a long path", () => {
    assert.strictEqual(shownPath("/home/me/a/very/long/path", "/home/me", 12), "…y/long/path")
    assert.strictEqual(shownPath("/home/meme", "/home/me", 40), "/home/meme")
    assert.strictEqual(shownPath("/x", "/", 40), "/x")
  })

  const Session = Schema.Struct({
    title: Schema.String,
    cli: Schema.String,
    directory: Schema.String,
    id: Schema.String
  })
  it.prop(
    "never leaves its width, and shows nothing that cannot be seen",
    [Schema.Array(Session), Schema.Literals([50, 64, 79, 80, 100, 200]), foreign],
    ([some, columns, text]) => {
      const sessions = some.map((each) => ({ ...held, ...each, title: each.title + text, conversation: [text] }))
      for (const line of sessionLines(sessions, sceneOf(columns)).map(plain)) {
        assert.isAtMost(CliOutput.displayWidth(line), columns - 1)
        assert.deepStrictEqual(unseenIn(line), [])
      }
      for (const each of sessions)
        for (const line of detailLines(each, text, sceneOf(columns)).map(plain))
          assert.deepStrictEqual(unseenIn(line), [])
    }
  )
})

/** A forged path never places a file outside of the CLI's own files. */
import { join, normalize } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { limits, movableClis } from "../../../src/cluster/move/packed.ts"
import { problemOf, sessionFiles, slugOf } from "../../../src/cluster/move/sessionFiles.ts"
import { runs } from "../../kit/runs.ts"
import { claudeId, codexId, opencodeId, rollout } from "./kit.ts"

const sessions = { claude: claudeId, codex: codexId, opencode: opencodeId }
const own = {
  claude: `projects/-work/${claudeId}.jsonl`,
  codex: rollout("26", codexId),
  opencode: "session.json"
}

const odd = ["..", ".", "/", "//", "\\", "\0", "\n", "%2e", "-", "a", "~", "\u2028", "\u202e", "é"] as const
const names = ["projects", "subagents", "tool-results", "sessions", ".jsonl", "auth.json", "config.toml"] as const
const Piece = Schema.Literals([...odd, ...names, claudeId, codexId])
const Odd = Schema.Struct({
  cli: Schema.Literals(movableClis),
  pieces: Schema.Array(Piece),
  /** Where in a right path they are put. */
  at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 })),
  directory: Schema.String
})

describe("a path of a stranger", () => {
  it.prop(
    "is refused, or leads to a file of the session",
    [Odd],
    ([{ cli, pieces, at, directory }]) => {
      const [sessionId, right] = [sessions[cli], own[cli]]
      const path = right.slice(0, at) + pieces.join("") + right.slice(at)
      for (const files of [[path], [right, path]]) {
        const sized = files.map((one) => ({ path: one, size: 1 }))
        if (problemOf({ cli, sessionId, directory: "/work", files: sized }) !== undefined) continue
        for (const one of files) {
          const place = join("/root", sessionFiles[cli].placed(one, directory))
          expect(place).toBe(normalize(place))
          expect(place).toMatch(
            /^\/root\/(?:projects\/[A-Za-z0-9-]+|sessions\/\d{4}\/\d\d\/\d\d|archived_sessions|session\.json)/
          )
          expect(place).not.toMatch(/[\\\0\n~%]|\.\.|auth|config/)
        }
      }
    },
    runs(10_000)
  )

  it.prop("of any directory is one folder", [Schema.String], ([directory]) => {
    expect(slugOf(directory)).toMatch(/^[A-Za-z0-9-]{0,220}$/)
  })

  it("of a directory is what Claude Code makes of it", () => {
    expect(slugOf("/tmp/ä ü_b.c")).toBe("-tmp-----b-c")
    const long = `/tmp/reins-iQT6Uu/tmp/reins-sandbox-PbM52N/work/${"x".repeat(120)}/${"y".repeat(120)}`
    expect(slugOf(long)).toMatch(/^-tmp-reins-iQT6Uu-.*-x{120}-y{31}-qfvtke$/)
    expect(limits.pathLength).toBeGreaterThan(slugOf(long).length)
  })
})

/**
 * Events and ends of turns in the recorded live sessions of Claude Code: plans, files, sub-agents, steers, background
 * work.
 */
import { assert, describe, it } from "vitest"
import { actions, ofType, type Played, play, when } from "./player.ts"
import { allow, deny, hooks, nextTurn, others, own, turn } from "./scenarios.ts"

describe("the events and ends of turns", () => {
  it("of each turn is of that turn alone", () => {
    const played = play("17-slash", { slashCommands: true }, others.find(([name]) => name === "17-slash")?.[2] ?? [])
    const reports = actions(played, "TurnEnded").map(({ report }) => [
      report.totalCostUsd,
      report.apiDurationMs,
      report.numTurns
    ])
    assert.deepStrictEqual(reports, [
      [0.00194, 20, 1],
      [0, 0, 0],
      [0, 0, 0],
      [0.00194, 22, 1]
    ])
  })

  it("of a plan is its text, where the model wrote one", () => {
    const plan = [turn("go"), allow]
    const [request] = actions(play("11-plan-file", { permissionMode: "plan" }, plan), "Asked")
    assert.deepInclude(request?.ask, { kind: "plan", plan: "# Plan\n1. Do it.\n" })
  })

  it("of files is where they are and what they lose and get", () => {
    const moments = own.find(([name]) => name === "allow-deny-changed")?.[2] ?? []
    const asks = actions(play("allow-deny-changed", {}, moments), "Asked").map(({ ask }) => ask)
    assert.deepStrictEqual(
      asks.map(({ command }) => command),
      ["echo hi > f; cat f", "echo no > g", "echo old > h; cat h", undefined, undefined]
    )
    assert.deepStrictEqual(
      asks.slice(3).map(({ paths, edits }) => [paths, edits]),
      [
        [["/workspace/w.txt"], [{ path: "/workspace/w.txt", after: "one\n" }]],
        [["/workspace/w.txt"], [{ path: "/workspace/w.txt", before: "one", after: "two" }]]
      ]
    )
  })

  it("of a sub-agent's request is whose it is", () => {
    const [request] = actions(play("agent-ask", {}, [turn("first"), allow]), "Asked")
    assert.strictEqual(request?.ask.parentToolId, "toolu_ag")
  })

  it("of a steer that came too late is a notice, when it starts a turn of its own", () => {
    const { outputs } = play("steer", {}, own.find(([name]) => name === "steer")?.[2] ?? [])
    const kinds = outputs.flatMap((output) => {
      if ("_tag" in output) return output._tag === "TurnEnded" ? ["end"] : []
      return output.type === "notice" && output.kind === "queued" ? ["queued"] : []
    })
    assert.deepStrictEqual(kinds, ["end", "end", "queued", "end"])
  })

  it("of work in the background is where the session stands", () => {
    const moments = [turn("first"), when("TurnEnded", () => []), nextTurn("second")]
    const { standings } = play("background", {}, moments)
    const ends = ["working", "answered", "working", "answered", "resting"]
    assert.deepStrictEqual(standings, ["working", "background", ...ends])
  })

  it("of a denial that was decided here causes no notice, a hook's does", () => {
    const denied = (played: Played) =>
      ofType(played, "notice")
        .filter(({ kind }) => kind === "permission_denied")
        .map(({ data }) => data.toolId)
    assert.deepStrictEqual(denied(play("11-deny", {}, [turn("go"), deny("Not this time.")])), [])
    const moments = own.find(([name]) => name === "hook")?.[2] ?? []
    assert.deepStrictEqual(denied(play("hook", { hooks }, moments)), ["toolu_a"])
  })
})

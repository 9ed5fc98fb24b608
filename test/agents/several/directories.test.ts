/** Agents that may change files never share a directory: said before anything is started, with the cure. */
import { assert, describe, it } from "vitest"
import { mayChangeFiles, sharedBy } from "../../../src/agents/several/race.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"

const uses = (agent: string, params: Partial<AgentExecuteParams>, ...directories: ReadonlyArray<string>) => ({
  agent,
  params: { prompt: "", ...params },
  directories
})

const plan = { permissionMode: "plan" } as const

describe("an agent may change files", () => {
  it.each<readonly [string, Partial<AgentExecuteParams>, boolean]>([
    ["without a mode", {}, true],
    ["in default", { permissionMode: "default" }, true],
    ["in accept-edits", { permissionMode: "accept-edits" }, true],
    ["in bypass", { permissionMode: "bypass" }, true],
    ["not in plan", plan, false],
    ["in plan with tools that are allowed beside it", { ...plan, allowedTools: ["Bash"] }, true],
    ["not in plan with a list of none", { ...plan, allowedTools: [] }, false],
    ["in plan with commands that could leave it", { ...plan, slashCommands: true }, true]
  ])("%s", (_, params, expected) => assert.strictEqual(mayChangeFiles({ prompt: "", ...params }), expected))
})

describe("directories are shared", () => {
  const cases: ReadonlyArray<
    readonly [string, ReadonlyArray<ReturnType<typeof uses>>, ReadonlyArray<string> | undefined]
  > = [
    ["not by one alone", [uses("a", {}, "/x")], undefined],
    ["not by readers", [uses("a", plan, "/x"), uses("b", plan, "/x")], undefined],
    ["by two writers", [uses("a", {}, "/x"), uses("b", {}, "/x")], ["a", "b"]],
    ["by a writer and readers", [uses("a", plan, "/x"), uses("b", {}, "/x"), uses("c", plan, "/x")], ["b", "a", "c"]],
    ["not side by side", [uses("a", {}, "/x"), uses("b", {}, "/xy")], undefined],
    ["by one inside of another", [uses("a", {}, "/x"), uses("b", {}, "/x/y")], ["a", "b"]],
    ["by one around another", [uses("a", {}, "/x/y"), uses("b", {}, "/x")], ["a", "b"]],
    ["by the root", [uses("a", {}, "/x"), uses("b", plan, "/")], ["a", "b"]],
    ["by an additional one", [uses("a", {}, "/x", "/z"), uses("b", {}, "/y", "/z/w")], ["a", "b"]],
    ["not by worktrees", [uses("a", {}), uses("b", {})], undefined]
  ]
  it.each(cases)("%s", (_, all, agents) => assert.deepStrictEqual(sharedBy(all)?.agents, agents))
})

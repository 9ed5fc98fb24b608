/** The five real CLIs at the same time, each in a worktree of one repository, where it may change files. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createAgent, createAgents } from "../../src/promise.ts"
import { Answer, ModelServer } from "../../src/testing.ts"
import { gitIn, leftIn, makeRepository } from "../kit/repository.ts"
import { pathOf } from "./rig/environment.ts"
import { commandFor } from "./rig/layered.ts"
import { command } from "./rig/live.ts"

const ids = ["claude", "gemini", "codex", "opencode", "pi"] as const
type Id = (typeof ids)[number]

/** Each writes a file, and says so. Claude Code refuses its strongest mode to root. */
const openAll = async () => {
  const stack = new AsyncDisposableStack()
  const agents = Object.fromEntries(
    await Promise.all(
      ids.map(async (id) => {
        const program = commandFor(id)
        const write = Answer.call(command[id](`echo ${id} > written.txt`))
        const server = stack.use(await ModelServer.forCli(id, [write, Answer.say(`I am ${id}.`)]))
        const sandbox = stack.use(await ModelServer.sandboxFor(id, server, { path: pathOf([program]) }))
        return [id, createAgent(id, { command: program, env: sandbox.env })] as const
      })
    )
  )
  const several = stack.use(createAgents(agents))
  return { several, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

const paramsIn = (workingDirectory: string) => (agent: string) => ({
  prompt: "go on",
  workingDirectory,
  ...(agent === "claude" ? { allowedTools: ["Bash"] } : { permissionMode: "bypass" as const })
})

it.live("each has changed the files of its own worktree, and the repository is as it was", () =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    const ends = yield* Effect.promise(async () => {
      await using all = await openAll()
      return await all.several.each(paramsIn(repository), { worktrees: true })
    })
    expect(ends.map(({ agent, result, changes }) => [agent, result.text, changes?.paths])).toEqual(
      ids.map((id: Id) => [id, `I am ${id}.`, ["written.txt"]])
    )
    for (const { agent, changes } of ends) {
      expect(gitIn(repository, "show", `${changes?.commit}:written.txt`)).toBe(`${agent}\n`)
    }
    expect(gitIn(repository, "status", "--porcelain")).toBe("")
    expect(leftIn(repository)).toEqual([])
  })
)

it.live("the first good one wins, and the others are ended", () =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    const answer = yield* Effect.promise(async () => {
      await using all = await openAll()
      const accept = ({ agent }: { readonly agent: string }) => agent === "codex"
      return await all.several.race(paramsIn(repository), { worktrees: true, accept })
    })
    expect(answer).toMatchObject({ agent: "codex", result: { text: "I am codex." } })
    expect(answer.changes?.patch).toContain("+codex")
    expect(leftIn(repository)).toEqual([])
  })
)

/**
 * A host with several agents is killed: nothing of them lives, their worktrees are gone, and the next ones in the
 * repository clear what only git knows. Linux only, as the guarantee is.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createAgent, createAgents } from "../../src/promise.ts"
import { program } from "../kit/agent.ts"
import { endAll, isAlive, processesWith, until } from "../kit/processes.ts"
import { gitIn, leftIn, makeRepository, put } from "../kit/repository.ts"
import { makeDirectory } from "../kit/temporary.ts"

const script = fileURLToPath(new URL("hosts/agentsHost.ts", import.meta.url))

interface Host {
  readonly child: ChildProcess
  readonly stdout: () => string
}

const startHost = (order: object, env: Readonly<Record<string, string | undefined>> = process.env) =>
  Effect.acquireRelease(
    Effect.sync((): Host => {
      const child = spawn(process.execPath, [script, JSON.stringify(order)], {
        env,
        stdio: ["ignore", "pipe", "inherit"]
      })
      let stdout = ""
      child.stdout.on("data", (chunk) => {
        stdout += chunk
      })
      return { child, stdout: () => stdout }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

const killed = ({ child }: Host) =>
  Effect.promise(async () => {
    const exit = once(child, "exit")
    child.kill("SIGKILL")
    await exit
  })

const hanging = (text: string) => ({ killGrace: "1 minute", ...program("writes", `--writes=${text}`, "--then=hang") })

const agents = { one: hanging("1"), two: hanging("2") }

/** By agent: its directory, its pid and that of its grandchild, as `writes` says them. */
const known = (host: Host) => {
  const texts: Record<string, string> = {}
  for (const line of host.stdout().split("\n").slice(0, -1)) {
    const { agent, text }: { readonly agent: string; readonly text: string } = JSON.parse(line)
    texts[agent] = `${texts[agent] ?? ""}${text}`
  }
  return Object.values(texts).flatMap((text) => {
    const [directory = "", ...pids] = text.split(" ")
    return pids.length === 2 ? [{ directory, pids: pids.map(Number) }] : []
  })
}

/** First actions of the next host in the repository, whichever it is. */
const next = (repository: string) =>
  Effect.promise(async () => {
    await using one = createAgents({ one: createAgent("claude", program("writes", "--writes=next")) })
    return await one.each({ prompt: "hello", workingDirectory: repository }, { worktrees: true })
  })

const bound = 8_000

describe("a host with several agents that is killed", () => {
  it.live.each(["race", "each"])("in the middle of `%s` leaves nothing", (method) =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const before = gitIn(repository, "for-each-ref")
      const host = yield* startHost({ method, repository, agents })
      yield* until(() => known(host).length === 2)
      const writers = known(host)
      const pids = writers.flatMap((each) => each.pids)
      yield* Effect.addFinalizer(() => Effect.sync(() => endAll(pids)))
      for (const { directory } of writers) assert.isTrue(existsSync(join(directory, "by-agent.txt")))
      yield* killed(host)
      yield* until(() => !pids.some(isAlive) && !writers.some(({ directory }) => existsSync(directory)), bound)
      const [end] = yield* next(repository)
      assert.deepStrictEqual(end?.changes?.paths, ["by-agent.txt", "sub/by-agent.txt"])
      assert.deepStrictEqual(leftIn(repository), [])
      assert.strictEqual(gitIn(repository, "for-each-ref"), before)
      assert.strictEqual(gitIn(repository, "status", "--porcelain"), "")
    })
  )

  it.live("while git makes a worktree leaves nothing, git included", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const folder = yield* makeDirectory
      const [bin, stands] = [join(folder, "bin"), join(folder, "stands")]
      mkdirSync(bin)
      const real = gitIn(repository, "--exec-path").trim()
      const lines = [
        "#!/bin/sh",
        `'${real}/git' "$@"`,
        `case $* in *'worktree add'*) touch '${stands}'; exec sleep 1000 ;; esac`
      ]
      writeFileSync(join(bin, "git"), `${lines.join("\n")}\n`)
      chmodSync(join(bin, "git"), 0o755)
      const env = { ...process.env, PATH: `${bin}:${process.env["PATH"]}`, TMPDIR: folder }
      const host = yield* startHost({ method: "race", repository, agents }, env)
      yield* until(() => existsSync(stands))
      const [worktree = ""] = leftIn(repository).flatMap((line) =>
        line.startsWith("worktree ") ? [line.slice(9)] : []
      )
      assert.isTrue(existsSync(worktree))
      yield* killed(host)
      yield* until(() => !existsSync(worktree) && processesWith(folder).length === 0, bound)
      yield* next(repository)
      assert.deepStrictEqual(leftIn(repository), [])
    })
  )

  it.live("leaves alone the worktrees of hosts that live, and they end as if nothing had been", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const living = yield* startHost({ method: "race", repository, agents })
      const dying = yield* startHost({ method: "race", repository, agents })
      yield* until(() => known(living).length === 2 && known(dying).length === 2)
      yield* killed(dying)
      yield* until(() => !known(dying).some(({ directory }) => existsSync(directory)), bound)
      yield* next(repository)
      for (const { directory, pids } of known(living)) {
        assert.isTrue(existsSync(join(directory, "by-agent.txt")))
        assert.deepStrictEqual(pids.map(isAlive), [true, true])
      }
      assert.strictEqual(leftIn(repository).filter((line) => line.startsWith("worktree ")).length, 2)
      yield* killed(living)
      yield* until(() => !known(living).some(({ directory }) => existsSync(directory)), bound)
    })
  )
})

describe("an agent that is killed", () => {
  it.live("is not asked again, and no other one is, once it has begun", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      put(repository, { "count.txt": "" })
      const request: Array<string> = []
      const team = createAgents({
        one: createAgent("claude", { killGrace: 300, ...program("writes", "--writes=1", "--then=hang") }),
        two: createAgent("claude", program("writes", "--writes=2"))
      })
      const texts: Array<string> = []
      const error = yield* Effect.promise(() =>
        team
          .fallback(
            { prompt: "hello", workingDirectory: repository },
            {
              onEvent: (event, agent) => {
                if (event.type === "session") request.push(agent)
                if (event.type !== "text" || texts.push(event.text) < 2) return
                process.kill(Number(texts.join("").split(" ").at(-2)), "SIGKILL")
              }
            }
          )
          .then(() => undefined, String)
      )
      assert.include(error, "No agent gave a good answer: one:")
      assert.deepStrictEqual(request, ["one"])
      yield* Effect.promise(() => team.close())
    })
  )
})

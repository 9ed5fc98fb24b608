/** However a host dies while its agent asks, or works unasked, for every CLI value: nothing of the session survives. Linux only. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { vi } from "vitest"
import { ids, peer, script, traits } from "../kit/live.ts"
import { endAll, processesWith, until } from "../kit/processes.ts"

// Each of them waits most of its time.
vi.setConfig({ maxConcurrency: 4 })

const program = fileURLToPath(new URL("hosts/sessionHost.ts", import.meta.url))

/** The promised time, plus what a busy machine may take. */
const boundMs = 5_000 + 3_000

const deaths = ["SIGKILL", "SIGTERM", "SIGINT", "exit", "throw", "reject"] as const
const isSignal = (death: (typeof deaths)[number]) => death.startsWith("SIG")

const [asks, works] = [
  { ask: { id: "a", command: "run a" } },
  { tool: { id: "a", command: "run a", open: true } }
] as const

describe.concurrent.each(ids)("nothing of a session of %s in mid-turn lives when its host", (id) => {
  const { asksPermission } = traits(id)
  const step = asksPermission ? asks : works
  const prompt = script({ spawn: true }, { ignoreSignals: true }, step, { hang: true })
  const sign = asksPermission ? "permission_request" : "tool_use"

  it.live.each(deaths.map((death) => [isSignal(death) ? `gets ${death}` : `${death}s`, death] as const))(
    "%s",
    ([_, death]) =>
      Effect.gen(function* () {
        const mark = crypto.randomUUID()
        const file = peer(id).baseArgs[0] ?? ""
        const env = { ...process.env, REINS_TEST_MARK: mark }
        const child = spawn(process.execPath, [program, id, file, prompt], { env, stdio: ["pipe", "pipe", "pipe"] })
        yield* Effect.addFinalizer(() => Effect.sync(() => endAll(processesWith(mark))))
        let reported = ""
        child.stdout.on("data", (chunk) => {
          reported += chunk
        })
        child.stderr.resume()
        const exited = once(child, "exit")
        yield* until(() => reported.includes(sign))
        assert.isNotEmpty(processesWith(mark))
        if (isSignal(death)) child.kill(death as NodeJS.Signals)
        else child.stdin.write(`${death}\n`)
        yield* Effect.promise(() => exited)
        yield* until(() => processesWith(mark).length === 0, boundMs)
      })
  )
})

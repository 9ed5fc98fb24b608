/**
 * A host of the plain door. Its first line on stdin orders the runs; their consumers pause at the session until the
 * second line says what becomes of them or of the host. Leaves at the third. Tells the types of their events, and two
 * processes of its own.
 */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { type AgentExecuteParams, type AgentOptions, type CliId, createAgent } from "reins/promise"

interface Run {
  readonly id: CliId
  readonly options: AgentOptions
  readonly params: AgentExecuteParams
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const next = async () => String((await lines.next()).value)
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const runs: ReadonlyArray<Run> = JSON.parse(await next())
const order = next()

/** No processes of a run, whatever they look like. */
const own = [spawn("sleep", ["120"]), spawn("sleep", ["120"], { env: {}, detached: true, stdio: "ignore" })]
say({ own: own.map(({ pid }) => pid) })

const conduct = async ({ id, options, params }: Run) => {
  const controller = new AbortController()
  let hasSession = false
  const agent = createAgent(id, options)
  const deeds: Readonly<Record<string, () => unknown>> = {
    exit: () => process.exit(3),
    throw: () => setImmediate(() => JSON.parse("{")),
    reject: () => void Promise.reject(new Error("an unhandled rejection")),
    abort: () => controller.abort(),
    leave: () => hasSession || controller.abort(),
    close: () => agent.close()
  }
  void order.then((deed) => deeds[deed]?.())
  for await (const event of agent.execute({ ...params, abortSignal: controller.signal })) {
    say({ type: event.type, ...(event.type === "done" ? { reason: event.result.reason } : {}) })
    if (event.type !== "session") continue
    hasSession = true
    if ((await order) === "leave") break
  }
  await agent.close()
}

await Promise.all(runs.map(conduct))
say({ over: true })
await next()
for (const child of own) child.kill("SIGKILL")
process.stdin.destroy()

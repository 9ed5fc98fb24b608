/**
 * A host whose system refuses things. Its stdin orders a run: options and params of the plain door, how many
 * files it may still open, whether its consumer pauses. Tells how the run ended, and whether a further one goes well.
 */
import { closeSync, openSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type AgentExecuteParams, type AgentOptions, type CliId, createAgent } from "../../../src/promise.ts"

interface Order {
  readonly id: CliId
  readonly options: AgentOptions
  readonly params?: Partial<AgentExecuteParams>
  readonly freeFiles?: number
  readonly pauseMs?: number
}

const order: Order = JSON.parse(readFileSync(0, "utf8"))

/** Leaves so many places for files. */
const openAllBut = (free: number) => {
  const open: Array<number> = []
  try {
    while (true) open.push(openSync("/dev/null", "r"))
  } catch {
    for (const file of open.splice(0, free)) closeSync(file)
  }
  return () => {
    for (const file of open) closeSync(file)
  }
}

const runOf = async ({ id, options, params, pauseMs = 0 }: Order) => {
  await using agent = createAgent(id, options)
  let events = 0
  let texts = 0
  let error: unknown
  let result: unknown
  for await (const event of agent.execute({ prompt: "hello", ...params })) {
    events += 1
    if (events === 1) await sleep(pauseMs)
    if (event.type === "text") texts += event.text.length
    if (event.type === "error") error = event
    if (event.type === "done") result = event.result.reason
  }
  return { result, error, texts }
}

const give = order.freeFiles === undefined ? () => {} : openAllBut(order.freeFiles)
const first = await runOf(order)
give()
const { result } = await runOf({ id: order.id, options: order.options })
process.stdout.write(JSON.stringify({ ...first, afterwards: result }))

/**
 * A host of a campaign: asks turns of a few conversations, two at a time, until stdin ends. What it asks and what it is
 * answered it says on stdout. Its arguments are JSON: see `Job`.
 */
import { text } from "node:stream/consumers"
import { AgentError, createAgent, type OpenStoreOptions, openStore } from "../../../src/promise.ts"
import { programPath } from "../../kit/agent.ts"
import { makeDice } from "../dice.ts"
import { clockMs, type HostLine } from "./logs.ts"

export interface Job {
  readonly seed: number
  readonly number: number
  readonly store: OpenStoreOptions
  /** Of the CLI's sessions. */
  readonly directory: string
  readonly conversations: number
}

const job: Job = JSON.parse(process.argv[2] ?? "")
const dice = makeDice(job.seed, job.number)
type Said = HostLine extends infer Line ? (Line extends HostLine ? Omit<Line, "at"> : never) : never
const say = (line: Said) => process.stdout.write(`${JSON.stringify({ at: clockMs(), ...line })}\n`)

let isOver = false
void text(process.stdin).then(() => {
  isOver = true
})

const store = await openStore(job.store)
const agent = createAgent("claude", {
  store,
  command: process.execPath,
  baseArgs: [programPath("keeps-sessions"), `--directory=${job.directory}`],
  limits: { busyWait: "20 seconds" }
})

const asked: Array<{ readonly turnId: string; readonly conversation: string; readonly prompt: string }> = []
let turns = 0

const draw = () => {
  const last = asked.at(-1)
  if (last !== undefined && dice.chance(0.08)) return { ...last, how: "again" } as const
  const turnId = `${job.number}-${++turns}`
  const conversation = `c${dice.between(1, job.conversations)}`
  const prompt = JSON.stringify({ turn: turnId, ms: dice.spread(5, 400) })
  const question = { turnId, conversation, prompt }
  asked.push(question)
  const how = dice.among<"wait" | "fail" | "fork" | "fresh">(
    [14, () => "wait"],
    [2, () => "fail"],
    [2, () => "fork"],
    [1, () => "fresh"]
  )
  return { ...question, how }
}

const ask = async () => {
  const { turnId, conversation, prompt, how } = draw()
  say({ is: "asked", turn: turnId, conversation, how })
  const whenBusy = how === "fail" || how === "fork" ? how : "wait"
  try {
    const { text: answer, sessionId } = await agent.run({
      conversation,
      turnId,
      prompt,
      whenBusy,
      fresh: how === "fresh"
    })
    say({
      is: "ended",
      turn: turnId,
      outcome: "completed",
      text: answer,
      ...(sessionId === undefined ? {} : { session: sessionId })
    })
  } catch (error) {
    if (error instanceof AgentError) say({ is: "ended", turn: turnId, outcome: error.reason.code })
    else say({ is: "broke", problem: `${turnId}: ${error instanceof Error ? error.stack : String(error)}` })
  }
}

const work = async () => {
  while (!isOver) await ask()
}

await Promise.all([work(), work()])
await agent.close()
await store.close()

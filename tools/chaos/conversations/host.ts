/**
 * A host of a campaign: asks turns of a few conversations, two at a time, until stdin ends; forgets, forks and reads
 * sessions in between. What it asks and what it is answered it says on stdout. Its argument is JSON: see `Job`.
 */
import { fileURLToPath } from "node:url"
import { AgentError, createAgent, StoreError } from "reins/promise"
import { beginHost, type StoreJob } from "../storeHost.ts"
import type { HostLine } from "./logs.ts"

export interface Job extends StoreJob {
  /** Folder of the CLI's sessions. */
  readonly directory: string
  readonly conversations: number
}

const { job, dice, say, broke, isOver, open } = beginHost<Job, HostLine>()
const cli = fileURLToPath(new URL("../../../fixtures/programs/keeps-sessions.mjs", import.meta.url))
const store = await open()
const agent = createAgent("claude", {
  store,
  command: process.execPath,
  baseArgs: [cli, `--directory=${job.directory}`, `--host=${process.pid}`],
  limits: { busyWait: "20 seconds" }
})

interface Question {
  readonly turnId: string
  readonly conversation: string
  readonly prompt: string
}

const request: Array<Question> = []
let turns = 0
const anyConversation = () => `c${dice.between(1, job.conversations)}`

const drawQuestion = () => {
  const last = request.at(-1)
  if (last !== undefined && dice.chance(0.08)) return { ...last, how: "again" } as const
  const turnId = `${job.number}-${++turns}`
  const prompt = JSON.stringify({ turn: turnId, ms: dice.spread(10, 1_500) })
  const question = { turnId, conversation: anyConversation(), prompt }
  request.push(question)
  const how = dice.among<"wait" | "fail" | "fork" | "fresh">(
    [14, () => "wait"],
    [2, () => "fail"],
    [2, () => "fork"],
    [1, () => "fresh"]
  )
  return { ...question, how }
}

const ask = async () => {
  const { turnId: turn, conversation, prompt, how } = drawQuestion()
  say({ is: "asked", turn, conversation, how })
  const whenBusy = how === "fail" || how === "fork" ? how : "wait"
  try {
    const result = await agent.run({ conversation, turnId: turn, prompt, whenBusy, fresh: how === "fresh" })
    const session = result.sessionId === undefined ? {} : { session: result.sessionId }
    say({ is: "ended", turn, outcome: "completed", text: result.text, ...session })
  } catch (error) {
    if (error instanceof AgentError) say({ is: "ended", turn, outcome: error.reason.code })
    else broke(`${turn}: ${error instanceof Error ? error.stack : String(error)}`)
  }
}

/** Possible refusals of a session that others use, or have never begun. */
const usual = ["UnknownSession", "SessionBusy", "NotKept"]

const change = async () => {
  const [conversation, other] = [anyConversation(), anyConversation()]
  const ref = { conversation, cli: "claude" }
  const { sessions } = store
  const read = async () => {
    let last: number | undefined
    for await (const { position } of sessions.events(ref, { follow: false })) {
      if (last !== undefined && position !== last + 1) broke(`the transcript of ${conversation} has a gap at ${last}`)
      last = position
    }
  }
  const [what, changed, work] = dice.among<readonly ["forget" | "fork" | "clear" | "read", string, () => unknown]>(
    [2, () => ["forget", conversation, () => sessions.forget(ref)]],
    [2, () => ["fork", other, () => other === conversation || sessions.fork(ref, { conversation: other })]],
    [1, () => ["clear", conversation, () => sessions.clear(conversation)]],
    [3, () => ["read", conversation, read]]
  )
  const which = { what, conversation: changed, host: process.pid } as const
  say({ is: "changes", ...which })
  try {
    await work()
    say({ is: "changed", ...which, outcome: "done" })
  } catch (error) {
    const reason = error instanceof StoreError ? error.reason : undefined
    say({ is: "changed", ...which, outcome: reason?._tag ?? "broke" })
    if (reason === undefined || !usual.includes(reason._tag)) broke(`${what}: ${String(error)}`)
  }
}

const work = async () => {
  while (!isOver()) await (dice.chance(0.12) ? change() : ask())
}

try {
  await Promise.all([work(), work()])
} finally {
  await agent.close()
  await store.close()
}

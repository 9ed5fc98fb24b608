/** Actions of a host in a recorded session, and when: the moments for the players of recordings. */

import type { Output } from "../../../../src/cli/Live.ts"
import type { Decision } from "../../../../src/contract/Rule.ts"
import { type Moment, when } from "./player.ts"

export const turn = (prompt = "hi") => when("Opened", (dialogue) => dialogue.turn(prompt))
export const nextTurn = (prompt: string) => when("TurnEnded", (dialogue) => dialogue.turn(prompt))
const decide = (decision: Decision) => when("Asked", (dialogue, { ask }) => dialogue.decide(ask.requestId, decision))
export const allow = decide({ decision: "allow" })
const plainly = { decision: "deny", message: "The user denied this.", isBare: true } as const
export const deny = decide(plainly)
export const stop = decide({ ...plainly, interrupt: true })
export const interrupt = (type: string): Moment => ({
  at: (output) => "type" in output && output.type === type,
  act: (dialogue) => dialogue.interrupt()
})

const isText = (text: string) => (output: Output) => "type" in output && output.type === "text" && output.text === text
export const steerAt = (text: string, words: string): Moment => ({
  at: isText(text),
  act: (dialogue) => dialogue.steer(words)
})
export const steerAsked = when("Asked", (dialogue, { ask }) => [
  ...(dialogue.steer("steered") ?? []),
  ...dialogue.decide(ask.requestId, plainly)
])
const answers = { "Which color?": ["Blue"], "Which size?": ["XXL"] }
export const answer = when("Questioned", (dialogue, { requestId }) => dialogue.answer(requestId, answers))
export const noAnswer = when("Questioned", (dialogue, { requestId }) => dialogue.answer(requestId, undefined))

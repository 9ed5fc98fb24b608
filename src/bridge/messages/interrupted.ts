/** A turn whose host died while its agent was at work: people decide whether it continues. */
import type { OnInterrupted } from "../../contract/Sessions.ts"
import type { ReplyPayload } from "./ReplyPayload.ts"

const choices = { go: "continue", again: "again", forget: undefined } as const

const data = (choice: keyof typeof choices, turnId: string) => `i:${choice}:${turnId.slice("bridge-".length)}`

/** The payload of a button. */
export const interruptedData = (turnId: string, decision: "continue" | "again" | "forget"): string =>
  data(decision === "continue" ? "go" : decision, turnId)

const explanation = "The host was restarted while the agent was at work. What it has done so far is not known."

/** `hasButtons`: otherwise people write the labels; `unattended`: people cannot answer there. */
export const interruptedPayload = (turnId: string, hasButtons: boolean | "unattended"): ReplyPayload =>
  hasButtons === "unattended"
    ? { text: `${explanation} It is not repeated.`, isError: true }
    : {
        text: hasButtons ? explanation : `${explanation} Write: Go on, Again, or Forget.`,
        isError: true,
        buttons: [
          [
            { label: "Go on", data: data("go", turnId) },
            { label: "Again", data: data("again", turnId) },
            { label: "Forget", data: data("forget", turnId) }
          ]
        ]
      }

export interface InterruptedChoice {
  readonly turnId: string
  /** Undefined to forget it. */
  readonly wanted: Exclude<OnInterrupted, "fail"> | undefined
}

/** Returns undefined if the payload belongs to another button. */
export const interruptedChoice = (input: string): InterruptedChoice | undefined => {
  const [, choice = "", id = ""] = /^i:(\w+):([\w-]{24})$/.exec(input) ?? []
  if (!Object.hasOwn(choices, choice)) return undefined
  return { turnId: `bridge-${id}`, wanted: choices[choice as keyof typeof choices] } // it was looked up
}

/** The choice of a message that consists of a label; undefined otherwise. */
export const interruptedWord = (text: string): InterruptedChoice["wanted"] | "forget" | undefined => {
  const word = text.trim().toLowerCase()
  if (word === "go on") return "continue"
  return word === "again" || word === "forget" ? word : undefined
}

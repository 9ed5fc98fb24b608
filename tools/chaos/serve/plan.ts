/** The conversations of the campaign: what a person says, what the agent does, and what goes wrong on the way. Pure. */
import type { Dice } from "../dice.ts"

/** `crash`, `killed`: the CLI ends in the middle of its first turn; the second one is answered. */
export const scenes = ["say", "slow", "tool", "approval", "crash", "killed"] as const
export type Scene = (typeof scenes)[number]

export interface Case {
  readonly id: string
  readonly scene: Scene
  /** Decision of its person about an interrupted turn. */
  readonly choice: "continue" | "again" | "forget"
  /** The stream of rows is cut after so many milliseconds, again and again; undefined: never. */
  readonly cutMs: number | undefined
  /** Each request is given up once before its answer, and made again. */
  readonly isHasty: boolean
}

export const answerTo = (message: string): string => `answer to ${message};`

/** Its messages, in order. */
export const messagesOf = ({ id, scene }: Pick<Case, "id" | "scene">): ReadonlyArray<string> =>
  isDeadly({ scene }) ? [`${id}.1`, `${id}.2`] : [`${id}.1`]

/**
 * Whether its agent ends in one of its turns. What was added to a turn ends with it, and people are told: a second message
 * is added to the first one's turn where that is begun again meanwhile.
 */
export const isDeadly = ({ scene }: Pick<Case, "scene">): boolean => scene === "crash" || scene === "killed"

/** Whether the agent ends before it can answer. */
export const isFatal = ({ id, scene }: Pick<Case, "id" | "scene">, message: string): boolean =>
  message === `${id}.1` && isDeadly({ scene })

/** A script for the agent. */
export const textOf = (own: Pick<Case, "id" | "scene">, message: string): string => {
  const { scene } = own
  const end = isFatal(own, message)
    ? [{ say: "so far" }, scene === "crash" ? { exit: 1 } : { signal: "SIGKILL" }]
    : [{ say: answerTo(message) }]
  const before = {
    say: [],
    slow: [{ wait: 1_200 }],
    tool: [{ tool: { id: "t", command: "ls", output: "a\n".repeat(500) } }],
    approval: [{ ask: { id: "a", command: `make ${message}` } }, { await: 1 }],
    crash: [],
    killed: []
  }[scene]
  return JSON.stringify([{ log: message }, ...before, ...end])
}

/** For ever. */
export function* casesOf(dice: Dice, prefix: string): Generator<Case> {
  for (let number = 1; ; number += 1) {
    yield {
      id: `${prefix}${number}`,
      scene: dice.pick(scenes),
      choice: dice.among<Case["choice"]>([1, () => "continue"], [2, () => "again"], [1, () => "forget"]),
      cutMs: dice.chance(0.5) ? dice.spread(300, 3_000) : undefined,
      isHasty: dice.chance(0.3)
    }
  }
}

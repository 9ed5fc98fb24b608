/** The cases of the campaign: what a person says, what the agent then does, and where the host is killed. Pure. */
import type { ChannelId } from "../../../src/api/config/channels.ts"
import type { ScriptedLack } from "../../../src/testing/ScriptedChannel.ts"
import type { Dice } from "../dice.ts"

/** Faults of the network for sends. */
export const faults = ["none", "cutBefore", "cutAfter", "tooFast", "badGateway"] as const
export type Fault = (typeof faults)[number]

export const scenes = ["one", "three", "gateway", "approval", "steer"] as const
export type Scene = (typeof scenes)[number]

/** When the host kills itself: before or after so many changes of its store; or, later, by another process. */
export type Death =
  | { readonly _tag: "Step"; readonly number: number; readonly side: "before" | "after" }
  | { readonly _tag: "Later"; readonly ms: number }

export interface Case {
  readonly id: string
  readonly scene: Scene
  readonly fault: Fault
  readonly death: Death
  /** Decision of its person about an interrupted turn. */
  readonly choice: "Go on" | "Again" | "Forget"
}

/** Its messages; the second is sent while the agent works on the first. */
export const idsOf = ({ id, scene }: Pick<Case, "id" | "scene">): ReadonlyArray<string> =>
  scene === "steer" ? [`${id}.1`, `${id}.2`] : [`${id}.1`]

/** Words of the agent for a message, in order. */
export const answersOf = (scene: Scene, id: string): ReadonlyArray<string> =>
  scene === "three" ? [1, 2, 3].map((part) => `part ${part} of ${id};`) : [`answer to ${id};`]

/** Messages by the gateway before. */
export const sentOf = (scene: Scene, id: string): string | undefined =>
  scene === "gateway" ? `sent for ${id};` : undefined

/**
 * The text of a message, which is a script for the agent. `filler`: so many words are more than half a message, so that
 * each part is a piece of its own.
 */
export const textOf = ({ scene, id: own }: Pick<Case, "id" | "scene">, id: string, filler = 80): string => {
  const isFirst = id === `${own}.1`
  const says = answersOf(scene, id).map((say) => ({
    say: scene === "three" ? `${say} ${"word ".repeat(filler)}` : say
  }))
  const sent = sentOf(scene, id)
  const before = [
    { log: id },
    ...(sent === undefined ? [] : [{ call: { name: "send_message", input: { text: sent } } }]),
    ...(scene === "approval" ? [{ ask: { id: "a", command: `make ${id}` } }, { await: 1 }] : []),
    ...(scene === "steer" && isFirst ? [{ wait: 400 }] : [])
  ]
  return JSON.stringify([...before, ...says])
}

export interface LaneKind {
  readonly name: string
  /** The outside. Default: a scripted one. */
  readonly service?: ChannelId
  /** Words that are more than half a message. Default: 80. */
  readonly filler?: number
  readonly lacks: ReadonlyArray<ScriptedLack>
  readonly progress: "edit" | "off"
}

/** For a channel that can be asked, an unknown message stays so for half a minute. */
const laneKinds: ReadonlyArray<LaneKind> = [
  { name: "full", lacks: ["find"], progress: "edit" },
  { name: "plain", lacks: ["find", "edit", "remove", "confirmation", "buttons"], progress: "off" },
  { name: "asks", lacks: [], progress: "off" }
]

/** Words that are more than half a message of the service. */
const fillers: { readonly [Id in ChannelId]: number } = { telegram: 450, slack: 320, discord: 220, whatsapp: 450 }

const kindsOf = (service: ChannelId): ReadonlyArray<LaneKind> => {
  const kind = { service, filler: fillers[service], lacks: [] }
  return [
    { ...kind, name: "edits", progress: "edit" },
    { ...kind, name: "answers", progress: "off" }
  ]
}

export const campaigns = {
  bridge: laneKinds,
  telegram: kindsOf("telegram"),
  slack: kindsOf("slack"),
  discord: kindsOf("discord"),
  whatsapp: kindsOf("whatsapp")
} as const

export const isBridgeCampaign = (name: string | undefined): name is keyof typeof campaigns =>
  name !== undefined && Object.hasOwn(campaigns, name)

/** More than any scene needs. */
const mostSteps = 26

/** All of them, in an order that the dice give; then others for ever. */
export function* casesOf(dice: Dice, lane: string): Generator<Case> {
  const all = scenes.flatMap((scene) =>
    faults.flatMap((fault) =>
      Array.from({ length: mostSteps }, (_, at) =>
        (["before", "after"] as const).map((side) => ({
          scene,
          fault,
          death: { _tag: "Step", number: at + 1, side } as const
        }))
      ).flat()
    )
  )
  for (let number = 1; ; number += 1) {
    const choice = dice.among<Case["choice"]>([1, () => "Go on"], [2, () => "Again"], [1, () => "Forget"])
    const own = { id: `${lane}${number}`, choice }
    if (all.length > 0 && !dice.chance(0.1)) {
      const [drawn] = all.splice(dice.between(0, all.length - 1), 1)
      if (drawn !== undefined) yield { ...own, ...drawn }
    } else {
      const scene = scenes[dice.between(0, scenes.length - 1)] ?? "one"
      const fault = faults[dice.between(0, faults.length - 1)] ?? "none"
      yield { ...own, scene, fault, death: { _tag: "Later", ms: dice.spread(1, 2_500) } }
    }
  }
}

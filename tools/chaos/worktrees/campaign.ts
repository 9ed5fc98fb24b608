/** Conversations work, and a person takes their changes, while the hosts of both are killed at any call of git or moment. */
import { type Dice, makeDice } from "../dice.ts"
import { type Files, type Finding, lostFiles, sound, untouched } from "./checks.ts"
import type { Operation } from "./host.ts"
import { type Death, type HostEnd, makeWorktreeRoom, type WorktreeRoom } from "./room.ts"

export interface Step {
  readonly operation: Operation
  readonly conversation: string
  readonly files: Files
  readonly death: Death
}

const described = ({ operation, conversation, death }: Step) => {
  if (death === undefined) return `${operation} of ${conversation}`
  return `${operation} of ${conversation}, killed ${"at" in death ? `${death.when} call ${death.at} of git` : `after ${death.afterMs} ms`}`
}

export interface Figures {
  readonly steps: Record<string, number>
  kills: number
  refused: Record<string, number>
}

/** A room, and what its conversations have been told to write. */
export const makeWorld = () => {
  const room = makeWorktreeRoom()
  const expected = new Map<string, Files>()
  const figures: Figures = { steps: {}, kills: 0, refused: {} }

  const note = (step: Step, { outcome, isKilled }: HostEnd) => {
    figures.steps[step.operation] = (figures.steps[step.operation] ?? 0) + 1
    if (isKilled) figures.kills += 1
    if (outcome.startsWith("refused ")) figures.refused[outcome.slice(8)] = (figures.refused[outcome.slice(8)] ?? 0) + 1
  }

  /** A host that dies, the checks, a host that lives and does it again, the checks. */
  const take = async (step: Step): Promise<ReadonlyArray<Finding>> => {
    const { operation, conversation, files, death } = step
    const before = room.picture()
    const work = expected.get(conversation) ?? {}
    const isTurn = operation === "turn"
    const applied = operation === "apply" ? work : {}
    const now = isTurn ? files : {}
    const first = await room.run({ operation, conversation, files }, death)
    note(step, first)
    const found = [...untouched(before, room.picture(), applied), ...lostFiles(room, conversation, work, now)]
    const whole = isTurn ? { ...work, ...files } : work
    const again = first.isKilled ? await room.run({ operation, conversation, files }, undefined) : first
    const ended = again.outcome === "done" || again.outcome.startsWith("refused ")
    if (!ended) found.push({ kind: "broke", detail: again.outcome })
    if (isTurn && again.outcome !== "done") found.push({ kind: "turn", detail: again.outcome })
    const after = room.picture()
    found.push(...untouched(before, after, applied), ...lostFiles(room, conversation, whole), ...sound(room))
    if (operation === "apply" && again.outcome === "done") {
      const missing = Object.entries(work).filter(([path, text]) => (after.files[path] ?? null) !== text)
      found.push(...missing.map(([path]) => ({ kind: "half", detail: `${path} was not applied` })))
    }
    const isGone = operation === "discard" && again.outcome === "done"
    expected.set(conversation, isGone ? {} : whole)
    return found.map(({ kind, detail }) => ({ kind, detail: `${described(step)}: ${detail}` }))
  }
  const expect = (conversation: string, files: Files) => void expected.set(conversation, files)
  return { room, figures, take, expect }
}

const drawDeath = (dice: Dice): Death =>
  dice.among<Death>(
    [6, () => ({ at: dice.between(1, 60), when: dice.pick(["before", "after"]) })],
    [3, () => ({ afterMs: dice.spread(1, 1_500) })],
    [1, () => undefined]
  )

const drawFiles = (dice: Dice, number: number): Files =>
  Object.fromEntries(
    Array.from({ length: dice.between(1, 6) }, () =>
      dice.among<readonly [string, string | null]>(
        [4, () => [`src/f${dice.between(0, 17)}.txt`, `turn ${number}\n`]],
        [1, () => [`src/f${dice.between(0, 19)}.txt`, `turn ${number}\n`]],
        [2, () => [`new/${dice.between(0, 5)}.txt`, `turn ${number}\n`]],
        [1, () => [`src/f${dice.between(0, 17)}.txt`, null]]
      )
    )
  )

const drawStep = (dice: Dice, number: number): Step => ({
  operation: dice.among<Operation>(
    [5, () => "turn"],
    [4, () => "apply"],
    [2, () => "commit"],
    [1, () => "discard"],
    [1, () => "remove"],
    [1, () => "changes"]
  ),
  conversation: dice.pick(["one", "two"]),
  files: drawFiles(dice, number),
  death: drawDeath(dice)
})

export interface CampaignOptions {
  readonly seconds: number
  readonly seed: number
}

export const runCampaign = async ({ seconds, seed }: CampaignOptions) => {
  const world = makeWorld()
  const findings: Array<Finding> = []
  const end = performance.now() + seconds * 1_000
  try {
    for (let number = 1; performance.now() < end; number += 1) {
      const step = drawStep(makeDice(seed, number), number)
      for (const { kind, detail } of await world.take(step))
        findings.push({ kind, detail: `step ${number}, ${detail}` })
    }
  } finally {
    world.room.remove()
  }
  return { figures: { ...world.figures }, findings }
}

/** Kills an operation at each of its calls of git, and after it. `every`: only each nth. */
export const killEverywhere = async (
  operation: Operation,
  prepare: (room: WorktreeRoom) => Promise<unknown>,
  {
    every = 1,
    files = {},
    expected = {}
  }: { readonly every?: number; readonly files?: Files; readonly expected?: Files } = {}
) => {
  const findings: Array<Finding> = []
  let kills = 0
  let isOver = false
  for (let at = 1; !isOver; at += every) {
    for (const when of ["before", "after"] as const) {
      const world = makeWorld()
      try {
        await prepare(world.room)
        world.expect("one", expected)
        findings.push(...(await world.take({ operation, conversation: "one", files, death: { at, when } })))
        isOver = world.figures.kills === 0
        kills += world.figures.kills
      } finally {
        world.room.remove()
      }
      if (isOver) break
    }
  }
  return { kills, findings }
}

/** Problems in the traces of a campaign; pure. */
import { interruptions, isAnswered, isMissing, type Logs, notKnown, type ServedChat, sendOf, wordsOf } from "./logs.ts"
import { answersOf, idsOf, sentOf } from "./plan.ts"

export interface Finding {
  readonly kind: string
  readonly detail: string
}

const timesIn = (text: string, word: string): number => text.split(word).length - 1

/** All that may be said of a message, and is to be said once. */
const wordsAbout = ({ case: { scene } }: ServedChat, id: string): ReadonlyArray<string> => {
  const sent = sentOf(scene, id)
  return [...answersOf(scene, id), ...(sent === undefined ? [] : [sent])]
}

const count = (choices: ReadonlyArray<string>, choice: string) => choices.filter((each) => each === choice).length

const chatFindings = (chat: ServedChat, begun: ReadonlyMap<string, number>): ReadonlyArray<Finding> => {
  const { case: own, shown: visible, choices, faults, kills } = chat
  const found: Array<Finding> = []
  const { id, scene, fault, death } = own
  const when = death._tag === "Step" ? `${death.side} change ${death.number}` : `after ${death.ms.toFixed(0)} ms`
  const saw = visible.map(({ text, isOurs }) => JSON.stringify(`${isOurs ? "" : "> "}${text.slice(0, 40)}`)).join(", ")
  const find = (kind: string, detail: string) =>
    found.push({
      kind,
      detail: `${detail} (${id}: ${scene}, ${fault}, killed ${when}, chose ${choices.join(", ")}, saw ${saw})`
    })
  const content = wordsOf(visible)
  // For a session that had not begun, continuing is beginning again.
  const [agains, shows] = [count(choices, "Again") + count(choices, "Go on"), count(choices, "Show")]
  const lost = interruptions(visible)

  for (const message of idsOf(own)) {
    const words = wordsAbout(chat, message)
    // For an interrupted turn, a person ended it, or the agent continued as configured.
    const isExcused = lost > 0 && own.choice !== "Again"
    if (!isAnswered(chat, message) && !isExcused) find("lost", `${message} has no answer`)
    for (const word of words) {
      if (timesIn(content, word) > 1 + agains + shows)
        find("repeated", `"${word}" came ${timesIn(content, word)} times`)
    }
    const runs = begun.get(message) ?? 0
    if (runs > 1 + agains) find("run twice", `the agent was asked ${message} ${runs} times`)
    const places = answersOf(scene, message)
      .map((word) => content.indexOf(word))
      .filter((place) => place >= 0)
    const sent = sendOf(chat, message)
    const inOrder = sent === undefined ? places : [content.indexOf(sent), ...places].filter((at) => at >= 0)
    if (shows === 0 && inOrder.some((place, at) => place < (inOrder[at - 1] ?? 0))) {
      find("out of order", `parts of ${message}`)
    }
  }
  const request = visible.filter(isMissing).length
  if (request > faults + kills) find("asked too often", `${request} times`)
  if (!chat.isServed) find("stuck", "it has not come to its end")
  return found
}

const counted = (texts: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return counts
}

/**
 * A press is heard once more where its host died before the channel knew that it was taken; and of a wait that the channel
 * has asked for, the next host knows nothing.
 */
const perKill = ["acknowledged twice", "forbidden"]

const unusual = ({ violations, kills }: Pick<Logs, "violations" | "kills">) => [
  ...violations.filter((each) => !perKill.some((rule) => each.startsWith(rule))),
  ...perKill.flatMap((rule) => violations.filter((each) => each.startsWith(rule)).slice(kills))
]

export const findingsOf = (logs: Logs): ReadonlyArray<Finding> => {
  const begun = counted(logs.agent.map(({ text }) => text))
  const whole = (kind: string, details: ReadonlyArray<string | number>) =>
    details.map((detail) => ({ kind, detail: String(detail) }))
  return [
    ...logs.chats.flatMap((chat) => chatFindings(chat, begun)),
    ...whole("left open", logs.open),
    ...whole("alive", logs.alive),
    ...whole("against the channel's rules", unusual(logs)),
    ...whole("problem", logs.problems),
    ...whole("damaged", logs.integrity === "ok" ? [] : [logs.integrity])
  ]
}

export const figuresOf = ({ chats, agent }: Logs) => {
  const sum = (of: (chat: ServedChat) => number) => chats.reduce((total, chat) => total + of(chat), 0)
  return {
    messages: sum((chat) => idsOf(chat.case).length),
    turns: agent.length,
    faults: sum(({ faults }) => faults),
    interrupted: sum(({ shown: visible }) => interruptions(visible)),
    notKnown: sum(notKnown),
    asked: sum(({ shown: visible }) => visible.filter(isMissing).length),
    scenes: Object.fromEntries(counted(chats.map((chat) => chat.case.scene)))
  }
}

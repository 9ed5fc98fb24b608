/** Waiting messages of a conversation → complete groups in order, each merged into one message; pure. */
import { namedIn } from "../commands/parse.ts"
import { type ChannelMessage, isDelivery, isScheduled } from "../messages/ChannelMessage.ts"

/** A waiting message, from the journal. */
export interface Waiting {
  readonly updateId: string
  readonly message: ChannelMessage
  /** Time of its acceptance, in ms since 1970. */
  readonly at: number
}

export interface Collected<Row extends Waiting = Waiting> {
  readonly rows: readonly [Row, ...ReadonlyArray<Row>]
  readonly message: ChannelMessage
}

interface CollectOptions {
  /** Longest message of the channel, in UTF-16 units. Default: 4,000. */
  readonly limit?: number | undefined
}

/** Longest gap between the parts of an album, forwards, and the halves of a text. */
const betweenMs = 1_000
/** Wait after a plain text: a message that is forwarded with it follows at once. */
const plainMs = 200
/** Longest wait in total, however many parts arrive. */
const longestMs = 10_000
const mostParts = 50
const mostCharacters = 400_000

/** Whether the text is so near to the limit that the platform has probably cut it. */
const isCut = ({ text }: ChannelMessage, limit: number) => text.length >= limit * 0.85

const waitOf = (message: ChannelMessage, limit: number): number => {
  const mayHaveMore =
    message.group !== undefined || message.forwarded === true || message.attachments.length > 0 || isCut(message, limit)
  return mayHaveMore ? betweenMs : plainMs
}

interface Open<Row> {
  readonly rows: [Row, ...Array<Row>]
  characters: number
}

const belongs = <Row extends Waiting>({ rows, characters }: Open<Row>, row: Row, isLast: boolean): boolean => {
  const last = rows.at(-1) ?? rows[0]
  const { message, at } = row
  if (last.message.sender.id !== message.sender.id) return false
  if (rows.length >= mostParts || characters + message.text.length > mostCharacters) return false
  if (rows[0].message.group !== undefined && rows[0].message.group === message.group) return true
  // Each scheduled prompt has its own budget, each delivery a turn of its own.
  if (!isLast || [message, rows[0].message].some((each) => isScheduled(each) || isDelivery(each))) return false
  if (namedIn(message.text) !== undefined || namedIn(rows[0].message.text) !== undefined) return false
  // Replies to different messages stay separate.
  if (message.replyTo !== undefined && message.replyTo.messageId !== last.message.replyTo?.messageId) return false
  return Math.abs(at - last.at) <= betweenMs && Math.abs(at - rows[0].at) <= longestMs
}

export const groupsOf = <Row extends Waiting>(
  rows: ReadonlyArray<Row>
): ReadonlyArray<readonly [Row, ...ReadonlyArray<Row>]> => {
  const groups: Array<Open<Row>> = []
  for (const row of rows) {
    // Messages of other people may come between the parts of an album.
    const album = row.message.group === undefined ? undefined : groups.find((group) => belongs(group, row, false))
    const last = groups.at(-1)
    const group = album ?? (last !== undefined && belongs(last, row, true) ? last : undefined)
    if (group === undefined) groups.push({ rows: [row], characters: row.message.text.length })
    group?.rows.push(row)
    if (group !== undefined) group.characters += row.message.text.length
  }
  return groups.map((group) => group.rows)
}

const readyAt = <Row extends Waiting>(
  rows: readonly [Row, ...ReadonlyArray<Row>],
  now: number,
  limit: number
): number => {
  const last = rows.at(-1) ?? rows[0]
  // Setting the clock back must not cause a wait.
  if (last.at > now || rows[0].at > now) return now
  if (rows.length >= mostParts) return now
  const wait = rows.length > 1 ? betweenMs : waitOf(last.message, limit)
  return Math.min(last.at + wait, rows[0].at + longestMs)
}

/** `waitUntil`: when to look at the rest again, unless a message arrives earlier; absent if everything is ready. */
export const collect = <Row extends Waiting>(
  rows: ReadonlyArray<Row>,
  now: number,
  { limit = 4_000 }: CollectOptions = {}
): { readonly ready: ReadonlyArray<Collected<Row>>; readonly waitUntil?: number } => {
  const ready: Array<Collected<Row>> = []
  const groups = groupsOf(rows)
  for (const [index, group] of groups.entries()) {
    const at = readyAt(group, now, limit)
    const hasMoreBehind = groups
      .slice(index + 1)
      .some(([next]) => next.message.sender.id === group[0].message.sender.id)
    // A later message of the same sender shows that the group is complete.
    if (at > now && !hasMoreBehind) return { ready, waitUntil: at }
    const [first, ...others] = group
    ready.push({ rows: group, message: mergeMessages([first.message, ...others.map(({ message }) => message)], limit) })
  }
  return { ready }
}

export const mostWaiting = 20

/** Whether one more message is too many. Further parts of a waiting message are not counted. */
export const isFull = (waiting: ReadonlyArray<Waiting>, next: Waiting): boolean =>
  groupsOf([...waiting, next]).length > mostWaiting

/** Length at which most platforms cut a message. */
const defaultCut = 4_000

const captionsOf = ({ text, attachments }: ChannelMessage): string => {
  if (text.trim() !== "") return text
  return attachments
    .map(({ caption }) => caption ?? "")
    .filter((caption) => caption.trim() !== "")
    .join("\n")
}

/** Joins texts by line breaks, except after a text that the platform cut. */
const joined = (texts: ReadonlyArray<string>, hardCut: number): string =>
  texts.reduce((all, text, at) => {
    if (at === 0) return text
    return (texts[at - 1] ?? "").length >= hardCut ? `${all}${text}` : `${all}\n${text}`
  }, "")

/** Joins texts, captions and attachments in order. Ids and sender are the first's; the time is the latest. */
export const mergeMessages = (
  [first, ...others]: readonly [ChannelMessage, ...ReadonlyArray<ChannelMessage>],
  limit: number = defaultCut
): ChannelMessage => {
  if (others.length === 0) return { ...first, text: captionsOf(first) }
  const all = [first, ...others]
  const { group: _, replyTo: __, ...own } = first
  const replyTo = all.find((message) => message.replyTo !== undefined)?.replyTo
  return {
    ...own,
    text: joined(
      all.map(captionsOf).filter((text) => text.trim() !== ""),
      limit
    ),
    attachments: all.flatMap(({ attachments }) => attachments),
    sentAt: Math.max(...all.map(({ sentAt }) => sentAt)),
    addressed: all.some(({ addressed }) => addressed),
    ...(replyTo === undefined ? {} : { replyTo })
  }
}

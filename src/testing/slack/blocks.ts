/** Blocks of a message: their limits, what a person reads and presses, and whom they notify. */
import { limits } from "./limits.ts"
import { isRecord, type Params } from "./params.ts"
import { beyond } from "./refusal.ts"

export type Block = Params

export interface Button {
  readonly label: string
  readonly actionId: string
  readonly blockId: string
  readonly value?: string
  readonly url?: string
}

const wrong = (detail: string) => beyond("invalid_blocks", detail)
const listOf = (value: unknown): ReadonlyArray<Params> => (Array.isArray(value) ? value.filter(isRecord) : [])
const wordOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Types that a message may have; what is in others than the first six is not looked at. */
const kinds: ReadonlySet<string> = new Set(
  "section divider context header actions rich_text image markdown table video file".split(" ")
)
const styles: ReadonlySet<string> = new Set(["bold", "italic", "strike", "code", "underline"])

const textAt = (value: unknown, most: number, where: string) => {
  const text = isRecord(value) ? value["text"] : undefined
  if (!isRecord(value) || typeof text !== "string" || !["plain_text", "mrkdwn"].includes(wordOf(value["type"])))
    throw wrong(`${where} needs a text object`)
  if (text.length === 0) throw wrong(`must be more than 0 characters [${where}]`)
  if (text.length > most) throw wrong(`must be less than ${most + 1} characters [${where}]`)
}

const checkButton = (element: Params) => {
  const { type, value = "", action_id: id = "" } = element
  if (type !== "button") throw wrong(`unsupported type: ${String(type)}`)
  textAt(element["text"], limits.button.label, "button/text")
  if (isRecord(element["text"]) && element["text"]["type"] !== "plain_text") throw wrong("a button needs plain_text")
  if (typeof value !== "string" || value.length > limits.button.value)
    throw wrong(`must be less than ${limits.button.value + 1} characters [button/value]`)
  if (typeof id !== "string" || id.length > limits.blocks.id) throw wrong("invalid action_id")
}

const checkRichElement = (element: Params) => {
  const { type, text, style = {} } = element
  if (!isRecord(style) || Object.keys(style).some((name) => !styles.has(name))) throw wrong("unknown style")
  if (type === "text" && wordOf(text) === "") throw wrong("must be more than 0 characters [rich_text/text]")
  if (type === "link" && wordOf(element["url"]) === "") throw wrong("a link needs a url")
  const known = ["text", "link", "user", "usergroup", "channel", "broadcast", "emoji", "date", "color", "team"]
  if (!known.includes(wordOf(type))) throw wrong(`unsupported type: ${String(type)} [rich_text]`)
}

const richKinds = ["rich_text_section", "rich_text_preformatted", "rich_text_quote", "rich_text_list"]

const checkRich = ({ type, elements }: Params): void => {
  if (!richKinds.includes(wordOf(type)) || !Array.isArray(elements)) throw wrong(`unsupported type: ${String(type)}`)
  for (const element of listOf(elements)) {
    if (type === "rich_text_list") checkRich(element)
    else checkRichElement(element)
  }
}

const checkBlock = (block: Params) => {
  const { type, block_id: id = "", elements } = block
  if (!kinds.has(wordOf(type))) throw wrong(`unsupported type: ${String(type)}`)
  if (typeof id !== "string" || id.length > limits.blocks.id) throw wrong("invalid block_id")
  if (type === "section" && block["text"] !== undefined) textAt(block["text"], limits.section, "section/text")
  if (type === "header") textAt(block["text"], limits.header, "header/text")
  if (isRecord(block["accessory"])) checkButton(block["accessory"])
  if (type !== "actions" && type !== "rich_text") return
  const parts = listOf(elements)
  if (parts.length === 0) throw wrong(`${type} has no elements`)
  if (type === "rich_text") return parts.forEach(checkRich)
  if (parts.length > limits.elements) throw wrong(`no more than ${limits.elements} items allowed [actions/elements]`)
  parts.forEach(checkButton)
}

const actionsOf = (blocks: ReadonlyArray<Block>) =>
  blocks.flatMap((block) => [
    ...(block["type"] === "actions" ? listOf(block["elements"]).map((element) => ({ block, element })) : []),
    ...(isRecord(block["accessory"]) ? [{ block, element: block["accessory"] }] : [])
  ])

const richText = (element: Params): string => {
  const { type, text, url, elements, name } = element
  if (type === "rich_text_list")
    return listOf(elements)
      .map((each) => `• ${richText(each)}`)
      .join("\n")
  if (Array.isArray(elements)) return listOf(elements).map(richText).join("")
  if (type === "text") return wordOf(text)
  if (type === "link") return wordOf(text) || wordOf(url)
  if (type === "user") return `@${wordOf(element["user_id"])}`
  if (type === "broadcast") return `@${wordOf(element["range"])}`
  return type === "emoji" ? `:${wordOf(name)}:` : ""
}

export const unescaped = (text: string) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")

const objectText = (value: unknown): string => {
  if (!isRecord(value)) return ""
  return value["type"] === "mrkdwn" ? unescaped(wordOf(value["text"])) : wordOf(value["text"])
}

const blockText = (block: Block): string => {
  const { type, elements, text } = block
  if (type === "rich_text") return listOf(elements).map(richText).join("\n")
  if (type === "context") return listOf(elements).map(objectText).join(" ")
  if (type === "markdown") return wordOf(text)
  return objectText(text)
}

/** All that a person reads; labels of buttons are not part of it. */
export const textOfBlocks = (blocks: ReadonlyArray<Block>): string =>
  blocks
    .map(blockText)
    .filter((text) => text !== "")
    .join("\n")

export const buttonsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Button> =>
  actionsOf(blocks).map(({ block, element }) => ({
    label: objectText(element["text"]),
    actionId: wordOf(element["action_id"]),
    blockId: wordOf(block["block_id"]),
    ...(typeof element["value"] === "string" ? { value: element["value"] } : {}),
    ...(typeof element["url"] === "string" ? { url: element["url"] } : {})
  }))

const mentions = /<(@[UW]\w+|!(?:channel|here|everyone)|!subteam\^\w+)(?:\|[^>]*)?>/g

/** Whom a text in Slack's own markup notifies. */
export const notifiedBy = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(mentions)].map(([, who = ""]) => who.replace(/^!/, "@"))

const richNotified = (element: Params): ReadonlyArray<string> => {
  const { type, elements } = element
  if (Array.isArray(elements)) return listOf(elements).flatMap(richNotified)
  if (type === "user") return [`@${wordOf(element["user_id"])}`]
  if (type === "broadcast") return [`@${wordOf(element["range"])}`]
  return type === "usergroup" ? [`@subteam^${wordOf(element["usergroup_id"])}`] : []
}

export const notifiedByBlocks = (blocks: ReadonlyArray<Block>): ReadonlyArray<string> =>
  blocks.flatMap((block) => {
    if (block["type"] === "rich_text") return richNotified(block)
    const objects = [block["text"], ...listOf(block["elements"])]
    return objects.flatMap((each) =>
      isRecord(each) && each["type"] === "mrkdwn" ? notifiedBy(wordOf(each["text"])) : []
    )
  })

/** Checked, with ids where they were left out; undefined without blocks. */
export const blocksOf = (value: unknown): ReadonlyArray<Block> | undefined => {
  if (value === undefined) return undefined
  if (!Array.isArray(value) || !value.every(isRecord)) throw wrong("blocks is not a list of blocks")
  const blocks: ReadonlyArray<Params> = value
  if (blocks.length > limits.blocks.most) throw wrong(`no more than ${limits.blocks.most} items allowed [blocks]`)
  blocks.forEach(checkBlock)
  const ids = blocks.map(({ block_id: id }) => id).filter((id) => id !== undefined)
  if (new Set(ids).size < ids.length) throw wrong("block_id is not unique")
  const actions = actionsOf(blocks).flatMap(({ element: { action_id: id } }) => (typeof id === "string" ? [id] : []))
  const twice = actions.find((id, index) => actions.indexOf(id) < index)
  if (twice !== undefined) throw wrong(`action_id "${twice}" already exists for element`)
  const characters = textOfBlocks(blocks).length
  if (characters > limits.blocks.characters)
    throw beyond("msg_blocks_too_long", `${characters} characters, more than ${limits.blocks.characters}`)
  return blocks.map((block, index) => ({ ...block, block_id: block["block_id"] ?? `b${index}` }))
}

/** The content of a message of the business, within the limits of its kind. */
import { isRecord, type Params } from "../telegram/params.ts"
import { limits } from "./limits.ts"
import type { Media } from "./media.ts"
import type { Button, KeptFile } from "./people.ts"
import { beyond, invalid, Refusal } from "./refusal.ts"

export interface Content {
  readonly text: string
  readonly buttons: ReadonlyArray<Button>
  readonly isList: boolean
  readonly file: KeptFile | undefined
}

const record = (value: unknown, name: string): Params => {
  if (!isRecord(value)) throw invalid(`The parameter ${name} is required.`)
  return value
}

const list = (value: unknown, name: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw invalid(`The parameter ${name} is required.`)
  return value
}

/** In code points. */
const lengthOf = (text: string) => [...text].length
const bytesOf = (text: string) => new TextEncoder().encode(text).length

const words = (value: unknown, name: string, most: number, count = lengthOf): string => {
  if (typeof value !== "string" || value.trim() === "") throw new Refusal(131_009, `${name} must not be empty.`)
  if (!value.isWellFormed()) throw invalid(`${name} is not UTF-8.`)
  if (count(value) > most) throw beyond(`${name} must be at most ${most} characters long.`, 131_009)
  return value
}

/** A button and a row have the same: an id and a title that no other one of the message has. */
const distinct = (buttons: ReadonlyArray<Button>): ReadonlyArray<Button> => {
  for (const part of ["label", "data"] as const)
    if (new Set(buttons.map((button) => button[part])).size < buttons.length)
      throw beyond(`Each ${part === "label" ? "title" : "id"} of a message must be unique.`, 131_009)
  return buttons
}

const replyButtons = (action: Params): ReadonlyArray<Button> => {
  const all = list(action["buttons"], "action.buttons")
  if (all.length === 0 || all.length > limits.buttons.most)
    throw beyond(`A message has 1 to ${limits.buttons.most} buttons.`, 131_009)
  return distinct(
    all.map((each) => {
      const { type, reply } = record(each, "button")
      if (type !== "reply") throw invalid("A button is of the type reply.")
      const { id, title } = record(reply, "reply")
      return {
        data: words(id, "The id of a button", limits.buttons.id, bytesOf),
        label: words(title, "The title of a button", limits.buttons.title)
      }
    })
  )
}

const rows = (action: Params): ReadonlyArray<Button> => {
  words(action["button"], "action.button", limits.list.button)
  const sections = list(action["sections"], "action.sections").map((each) => record(each, "section"))
  if (sections.length > 1) for (const { title } of sections) words(title, "The title of a section", limits.list.title)
  const all = sections.flatMap((section) => list(section["rows"], "rows"))
  if (all.length === 0 || all.length > limits.list.most)
    throw beyond(`A list has 1 to ${limits.list.most} rows in all.`, 131_009)
  return distinct(
    all.map((each) => {
      const { id, title, description } = record(each, "row")
      return {
        data: words(id, "The id of a row", limits.list.id, bytesOf),
        label: words(title, "The title of a row", limits.list.title),
        ...(description === undefined
          ? {}
          : { description: words(description, "The description of a row", limits.list.description) })
      }
    })
  )
}

const none = { buttons: [], isList: false, file: undefined }

const interactive = (params: Params): Content => {
  const { type, body, action } = record(params["interactive"], "interactive")
  const text = words(record(body, "body")["text"], "The body", limits.interactive)
  const own = record(action, "action")
  if (type === "button") return { ...none, text, buttons: replyButtons(own) }
  if (type === "list") return { ...none, text, buttons: rows(own), isList: true }
  throw invalid(`interactive.type ${String(type)} is not known here.`)
}

export const contentOf = (params: Params, media: Media): Content => {
  const { type = "text" } = params
  switch (type) {
    case "text": {
      const { body } = record(params["text"], "text")
      if (typeof body === "string" && lengthOf(body) > limits.text)
        throw beyond(`Param text['body'] must be at most ${limits.text} characters long.`)
      return { ...none, text: words(body, "Param text['body']", limits.text) }
    }
    case "interactive":
      return interactive(params)
    case "image":
    case "video":
    case "audio":
    case "document": {
      const { id, filename, caption } = record(params[type], type)
      const text = caption === undefined ? "" : words(caption, "The caption", limits.caption)
      return { ...none, text, file: media.sent(type, id, filename) }
    }
    default:
      throw invalid(`A message of the type ${String(type)} is not known here.`)
  }
}

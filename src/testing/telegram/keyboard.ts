/** Buttons below a message: their shape and their limits. */
import { limits } from "./limits.ts"
import { isRecord, jsonOf, type Params, textOf } from "./params.ts"
import { beyond } from "./refusal.ts"
import type { InlineButton, Keyboard } from "./wire.ts"

const wrong = (why: string) => beyond(`can't parse inline keyboard button: ${why}`)
const bytesOf = (text: string) => new TextEncoder().encode(text).length

const buttonOf = (value: unknown): InlineButton => {
  if (!isRecord(value)) throw wrong("InlineKeyboardButton must be an Object")
  if (typeof value["text"] !== "string") throw wrong('Field "text" must be of type String')
  const text = textOf(value, "text")
  if (text.trim() === "") throw beyond("inline keyboard button text must be non-empty")
  if (typeof value["url"] === "string") {
    const url = textOf(value, "url")
    if (!/^(?:https?|tg):\/\//i.test(url)) throw beyond(`inline keyboard button URL ${JSON.stringify(url)} is invalid`)
    return { text, url }
  }
  if (typeof value["callback_data"] !== "string") throw wrong("Text buttons are unallowed in the inline keyboard")
  const data = textOf(value, "callback_data")
  if (data === "" || bytesOf(data) > limits.buttonData) throw beyond("BUTTON_DATA_INVALID")
  return { text, callback_data: data }
}

/** Returns undefined without buttons. Rows without buttons are dropped. */
export const keyboardOf = (params: Params): Keyboard | undefined => {
  const markup = jsonOf(params, "reply_markup")
  if (markup === undefined) return undefined
  if (!isRecord(markup)) throw beyond("object expected as reply markup")
  const { inline_keyboard: rows } = markup
  // Keyboards below the input field belong to the person's program, not to the chat.
  if (rows === undefined) return undefined
  if (!Array.isArray(rows)) throw beyond('Field "inline_keyboard" of the InlineKeyboardMarkup must be an Array')
  const keyboard = rows.map((row: unknown) => {
    if (!Array.isArray(row)) throw beyond("inline keyboard row must be an Array")
    return row.map(buttonOf)
  })
  const filled = keyboard.filter((row) => row.length > 0)
  if (filled.flat().length > limits.buttons) throw beyond("reply markup is too long")
  return filled.length === 0 ? undefined : { inline_keyboard: filled }
}

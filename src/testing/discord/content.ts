/** Content of a message of the bot: text, buttons, files and mentions, within the limits. */
import type { Upload } from "./body.ts"
import type { Kept, KeptFile } from "./channels.ts"
import { limits } from "./limits.ts"
import { type Fields, fieldsOf, isRecord, listOf, textOf } from "./params.ts"
import { invalidForm, Refusal } from "./refusal.ts"
import type { Button, Row } from "./wire.ts"

const tooMany = (field: string) =>
  invalidForm(field, "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length.", "limit")

const buttonOf = (value: unknown): Button => {
  const fields = fieldsOf(value)
  const { type, style } = fields
  if (type !== 2) throw invalidForm("components", "UNION_TYPE_CHOICES", 'Value of field "type" must be 2.')
  if (style !== 1 && style !== 2 && style !== 3 && style !== 4)
    throw invalidForm("components", "BASE_TYPE_CHOICES", "Value must be one of {1, 2, 3, 4, 5, 6}.")
  const label = textOf(fields, "label", limits.label) ?? ""
  const custom_id = textOf(fields, "custom_id", limits.customId) ?? ""
  if (label.trim() === "")
    throw invalidForm("components", "BUTTON_COMPONENT_LABEL_REQUIRED", "A label is required", "limit")
  if (custom_id === "") throw invalidForm("components", "BASE_TYPE_REQUIRED", "This field is required", "limit")
  return { type, style, custom_id, label }
}

const rowOf = (value: unknown): Row => {
  const fields = fieldsOf(value)
  if (fields["type"] !== 1) throw invalidForm("components", "UNION_TYPE_CHOICES", 'Value of field "type" must be 1.')
  const components = listOf(fields, "components").map(buttonOf)
  if (components.length === 0 || components.length > limits.inRow) throw tooMany("components")
  return { type: 1, components }
}

export const componentsOf = (fields: Fields): ReadonlyArray<Row> => {
  const rows = listOf(fields, "components").map(rowOf)
  if (rows.length > limits.rows) throw tooMany("components")
  const ids = rows.flatMap((row) => row.components.map(({ custom_id }) => custom_id))
  if (new Set(ids).size < ids.length)
    throw invalidForm(
      "components",
      "COMPONENT_CUSTOM_ID_DUPLICATED",
      "Component custom id cannot be duplicated",
      "limit"
    )
  return rows
}

export const filesOf = (
  fields: Fields,
  uploads: ReadonlyMap<string, Upload>,
  nextId: () => string
): ReadonlyArray<KeptFile> => {
  const described = listOf(fields, "attachments").map(fieldsOf)
  if (uploads.size > limits.files)
    throw invalidForm("attachments", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer", "limit")
  return [...uploads].map(([part, { name, type, content }]) => {
    const own = described.find(({ id }) => String(id) === part)
    const filename = (own === undefined ? undefined : textOf(own, "filename", 1_024)) ?? name
    return { id: nextId(), name: filename, type, content, bytes: content.length, isVoice: false }
  })
}

export const contentOf = (fields: Fields): string => (textOf(fields, "content", limits.content) ?? "").trim()

export const flagsOf = (fields: Fields): number => {
  const flags = fields["flags"] ?? 0
  if (!Number.isSafeInteger(flags)) throw invalidForm("flags", "NUMBER_TYPE_COERCE", "Value is not int.")
  return Number(flags)
}

/** The nonce of a message that shall exist once. */
export const nonceOf = (fields: Fields): { readonly nonce: string | undefined; readonly isEnforced: boolean } => {
  const nonce = textOf(fields, "nonce", limits.nonce)
  return { nonce, isEnforced: nonce !== undefined && fields["enforce_nonce"] === true }
}

export const refuseEmpty = ({ content, components, files }: Pick<Kept, "content" | "components" | "files">) => {
  if (content === "" && components.length === 0 && files.length === 0)
    throw new Refusal(400, 50_006, "Cannot send an empty message", { broken: "limit" })
}

/** Who gets a notification: without `allowed_mentions` everybody named, and the author of what is replied to. */
export const notifiedBy = (content: string, fields: Fields, repliedTo: string | undefined): ReadonlyArray<string> => {
  const allowed = fields["allowed_mentions"] ?? undefined
  const rules = isRecord(allowed) ? allowed : undefined
  const parse = rules === undefined ? undefined : listOf(rules, "parse")
  const named = (kind: "users" | "roles", form: RegExp) => {
    const ids = [...content.matchAll(form)].map(([, id = ""]) => id)
    if (rules === undefined || parse?.includes(kind) === true) return ids
    const only = listOf(rules, kind)
    return ids.filter((id) => only.includes(id))
  }
  const everyone = /@(?:everyone|here)/.test(content) && (parse === undefined || parse.includes("everyone"))
  const isReplyTold = repliedTo !== undefined && (rules === undefined || rules["replied_user"] === true)
  return [
    ...new Set([
      ...(everyone ? ["everyone"] : []),
      ...named("users", /<@!?(\d+)>/g),
      ...named("roles", /<@&(\d+)>/g),
      ...(isReplyTold ? [repliedTo] : [])
    ])
  ]
}

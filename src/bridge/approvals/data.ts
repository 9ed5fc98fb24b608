/** The data of a button below a request: `r:<id>:<code>`, at most 40 bytes. The id is that of a row, and no one can guess it. */
import { randomBytes } from "node:crypto"

/** 96 random bits: 16 characters. */
export const newRequestId = (): string => randomBytes(12).toString("base64url")

export const buttonData = (id: string, code: string): string => `r:${id}:${code}`

export interface PressedButton {
  readonly id: string
  /** Of a choice. */
  readonly code: string
}

const form = /^r:([A-Za-z0-9_-]{16}):([a-z][0-9.]{0,15})$/

/** Undefined for the button of something else: anybody can send anything. */
export const pressedButton = (data: string): PressedButton | undefined => {
  const [, id, code] = form.exec(data) ?? []
  return id === undefined || code === undefined ? undefined : { id, code }
}

/** A message of the user as Codex takes it (0.169.0). */
import { base64Of } from "../../../contract/Attachment.ts"
import type { TurnInput } from "../../Live.ts"

/** Its blocks. */
export type Input = ReadonlyArray<unknown>

/** By `localImage`, Codex would read a file itself. Images come first, as in a run. */
export const inputOf = (text: string, { attachments = [] }: TurnInput = {}): Input => [
  ...attachments.map((image) => ({ type: "image", url: `data:${image.mediaType};base64,${base64Of(image)}` })),
  { type: "text", text, text_elements: [] }
]

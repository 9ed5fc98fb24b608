/** Text of others for a chat: `harmless`, but with the joiners that words of Persian or Hindi are written with. */
import { harmless } from "../../contract/text/harmless.ts"

/** Caught, so that `split` keeps them: they are at the odd places. */
const joiners = /((?<=[\p{L}\p{M}])[\u200c\u200d](?=\p{L}))/u

export const readable = (text: string): string =>
  text
    .replace(/\r\n?/g, "\n")
    .split(joiners)
    .map((part, at) => (at % 2 === 1 ? part : harmless(part)))
    .join("")

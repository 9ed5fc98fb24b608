/** Any document, at limits of a chat, of a line, and of a word. `properties.faults.test.ts` tries many more. */
import { describe, it } from "@effect/vitest"
import { runs } from "../../kit/runs.ts"
import { checkCalm, checkChunks, checkCut, checkCutMarkdown, checkRichText } from "./checks.ts"
import { anyDocument, calmDocument } from "./documents.ts"

describe("any document", () => {
  it.prop("has sound marks, and all its words", [anyDocument], ([text]) => checkRichText(text), runs(2_000))
  it.prop("is cut without loss", [anyDocument], ([text]) => checkCut(text), runs(250))
  it.prop("is cut as Markdown without loss", [anyDocument], ([text]) => checkCutMarkdown(text), runs(250))
  it.prop("arrives in chunks", [anyDocument], ([text]) => checkChunks(text, text.length), runs(300))
})

it.prop("cut Markdown is read as the same text and code", [calmDocument], ([text]) => checkCalm(text), runs(300))

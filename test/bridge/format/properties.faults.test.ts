/** The properties of `properties.test.ts`, for 3,000 documents each, or `DOCUMENTS`; `SEED` begins elsewhere. */
import { it } from "vitest"
import { checkCalm, checkChunks, checkCut, checkCutMarkdown, checkRichText } from "./checks.ts"
import { anyOf, calmOf } from "./documents.ts"

const documents = Number(process.env["DOCUMENTS"] ?? "3000")
const first = Number(process.env["SEED"] ?? "1") * documents

const forAll = (of: (seed: number) => string, check: (text: string, seed: number) => void) => () => {
  for (let seed = first; seed < first + documents; seed++) {
    const text = of(seed)
    try {
      check(text, seed)
    } catch (cause) {
      throw new Error(`document ${seed}: ${JSON.stringify(text)}`, { cause })
    }
  }
}

const long = 900_000

it("has sound marks, and all its words", forAll(anyOf, checkRichText), long)
it("is cut without loss", forAll(anyOf, checkCut), long)
it("is cut as Markdown without loss", forAll(anyOf, checkCutMarkdown), long)
it("arrives in chunks", forAll(anyOf, checkChunks), long)
it("cut Markdown is read as the same text and code", forAll(calmOf, checkCalm), long)

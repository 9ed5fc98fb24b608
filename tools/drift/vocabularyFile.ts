// The vocabulary on record of each CLI: `fixtures/<id>/vocabulary.json`.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CliId } from "../../src/cli/clis.ts"
import type { Vocabulary } from "./vocabulary.ts"

const fileOf = (root: string, id: CliId) => join(root, "fixtures", id, "vocabulary.json")

export const readVocabulary = (root: string, id: CliId): Vocabulary | undefined =>
  existsSync(fileOf(root, id)) ? JSON.parse(readFileSync(fileOf(root, id), "utf8")) : undefined

export const writeVocabulary = (root: string, id: CliId, vocabulary: Vocabulary): void =>
  writeFileSync(fileOf(root, id), `${JSON.stringify(vocabulary, null, 1)}\n`)

// Moves everything that names a version to the one that was met: the table of versions, the folder of recordings and the
// vocabulary; of the same version once more, that is merged. Gives what it did and what is left to do, for people.
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { CliId } from "../../src/cli/clis.ts"
import { merge } from "./merge.ts"
import type { Vocabulary } from "./vocabulary.ts"
import { readVocabulary, writeVocabulary } from "./vocabularyFile.ts"

/** The row of a CLI in the table with another tested version; undefined without such a row. */
export const withTestedVersion = (table: string, id: CliId, version: string): string | undefined => {
  const row = new RegExp(`(\\n  ${id}: \\{[^}]*?testedVersion: ")[^"]+(")`)
  return row.test(table) ? table.replace(row, `$1${version}$2`) : undefined
}

const change = (file: string, to: (text: string) => string | undefined): string => {
  const text = readFileSync(file, "utf8")
  const changed = to(text)
  if (changed === undefined) throw new Error(`${file} has no place for the version`)
  writeFileSync(file, changed)
  return changed === text ? `${file} has it already` : `${file} names it`
}

export const accept = (root: string, id: CliId, now: Vocabulary): ReadonlyArray<string> => {
  const { version } = now
  const folder = join(root, "fixtures", id)
  const old = readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+/.test(name) && name !== version)
  for (const name of old) renameSync(join(folder, name), join(folder, version))
  writeVocabulary(root, id, merge(readVocabulary(root, id), now))
  return [
    change(join(root, "src/cli/versions.ts"), (table) => withTestedVersion(table, id, version)),
    ...old.map((name) => `the recordings of ${name} are now those of ${version}: run the tests`),
    `fixtures/${id}/vocabulary.json is that of ${version}`,
    "the pages name the version before: run `npm run docs:generate`"
  ]
}

/** Where the recordings of a CLI lie: in the one folder of `fixtures/<id>` that is named for a version. */
import { readdirSync } from "node:fs"
import type { CliId } from "../../src/cli/clis.ts"

/** The versions that have recordings. */
export const recordedVersions = (id: CliId): ReadonlyArray<string> =>
  readdirSync(new URL(`../../fixtures/${id}/`, import.meta.url)).filter((name) => /^\d+\.\d+\.\d+$/.test(name))

/** `path` is relative to the folder of the recordings. */
export const recordingUrl = (id: CliId, path: string): URL =>
  new URL(`../../fixtures/${id}/${recordedVersions(id).join()}/${path}`, import.meta.url)

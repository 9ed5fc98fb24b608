/** The version of this package. */
import { readFileSync } from "node:fs"
import { packageFile } from "./packageFile.ts"

export const { version }: { readonly version: string } = JSON.parse(readFileSync(packageFile("package.json"), "utf8"))

/** `npm run house`: writes the linter's rules of what may import what. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { folders, root } from "./folders.ts"
import { linterRules } from "./linterRules.ts"

writeFileSync(join(root, ".biome.rooms.json"), linterRules(folders()))

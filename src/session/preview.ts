import type { PermissionAsk } from "../cli/Live.ts"
export declare const previewOf: (ask: PermissionAsk) => string | undefined

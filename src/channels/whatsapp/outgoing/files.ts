/** The kinds of file that WhatsApp takes: each with its largest size; what is of no kind is sent as a document. */

const documents: ReadonlyArray<readonly [string, string]> = [
  ["pdf", "application/pdf"],
  ["doc", "application/msword"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["xls", "application/vnd.ms-excel"],
  ["xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
  ["ppt", "application/vnd.ms-powerpoint"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"]
]

const media: ReadonlyArray<readonly [string, Kind]> = [
  ["jpg", { kind: "image", type: "image/jpeg" }],
  ["jpeg", { kind: "image", type: "image/jpeg" }],
  ["png", { kind: "image", type: "image/png" }],
  ["mp4", { kind: "video", type: "video/mp4" }],
  ["3gp", { kind: "video", type: "video/3gpp" }],
  ["aac", { kind: "audio", type: "audio/aac" }],
  ["m4a", { kind: "audio", type: "audio/mp4" }],
  ["mp3", { kind: "audio", type: "audio/mpeg" }],
  ["amr", { kind: "audio", type: "audio/amr" }],
  ["ogg", { kind: "audio", type: "audio/ogg" }]
]

export interface Kind {
  readonly kind: "image" | "video" | "audio" | "document"
  /** For the upload. */
  readonly type: string
}

const kinds = new Map<string, Kind>([
  ...media,
  ...documents.map(([suffix, type]) => [suffix, { kind: "document", type }] as const)
])

const mostBytes: Readonly<Record<Kind["kind"], number>> = {
  image: 5_000_000,
  audio: 16_000_000,
  video: 16_000_000,
  document: 100_000_000
}

/** WhatsApp refuses other types; a person's device goes by the name. */
const plain: Kind = { kind: "document", type: "text/plain" }

/** A file that is too large for its kind is a document. */
export const kindOf = (name: string, bytes: number): Kind => {
  const known = kinds.get(/\.(\w{1,5})$/.exec(name)?.[1]?.toLowerCase() ?? "") ?? plain
  return bytes <= mostBytes[known.kind] ? known : { ...known, kind: "document" }
}

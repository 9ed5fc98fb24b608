/** The files of a message; pure. Of the sizes of a photo it is the largest. */
import type { MessageAttachment } from "../../../bridge/messages/ChannelMessage.ts"
import type { WireFile, WireMessage } from "./wire.ts"

const sizeOf = ({ width = 0, height = 0, file_size = 0 }: WireFile) => [width * height, file_size] as const

const larger = (one: WireFile, other: WireFile): WireFile => {
  const [[area, bytes], [otherArea, otherBytes]] = [sizeOf(one), sizeOf(other)]
  return otherArea > area || (otherArea === area && otherBytes >= bytes) ? other : one
}

const attachment = (
  kind: MessageAttachment["kind"],
  { file_id, file_name, mime_type, file_size }: WireFile
): MessageAttachment => ({
  kind,
  fileId: file_id,
  ...(file_name === undefined ? {} : { name: file_name.slice(0, 255) }),
  ...(mime_type === undefined ? {} : { mimeType: mime_type.slice(0, 255) }),
  ...(file_size === undefined ? {} : { bytes: file_size })
})

export const attachmentsOf = (message: WireMessage): ReadonlyArray<MessageAttachment> => {
  const { photo = [], voice, audio, video, video_note, animation } = message
  const [first, ...sizes] = photo
  const image = first === undefined ? [] : [{ ...attachment("image", sizes.reduce(larger, first)) }]
  const files = [
    ["voice", voice],
    ["audio", audio],
    ["video", video ?? video_note ?? animation],
    // An animation is told as a document, too.
    ["document", animation === undefined ? message.document : undefined]
  ] as const
  return [
    ...image.map((each) => ({ mimeType: "image/jpeg", ...each })),
    ...files.flatMap(([kind, file]) => (file === undefined ? [] : [attachment(kind, file)]))
  ]
}

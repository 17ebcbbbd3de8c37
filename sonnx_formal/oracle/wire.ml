(* Frames: the length of the payload in 8 bytes, then the payload. Every number is little-endian, a
   text is its length in 4 bytes and its bytes. *)

exception Malformed of string

let malformed what = raise (Malformed what)

(* Longer frames are refused. *)
let longest = 1 lsl 30

(* --- Reading --- *)

type reader = { bytes : Bytes.t; mutable at : int }

let left r = Bytes.length r.bytes - r.at

(* The place of the next [n] bytes, which are read with that. *)
let take r n =
  if n > left r then malformed "the frame ends too early";
  let at = r.at in
  r.at <- at + n;
  at

let byte r = Bytes.get_uint8 r.bytes (take r 1)

let two_64 = Z.shift_left Z.one 64

(* A number of 1, 2, 4 or 8 bytes without a sign. *)
let number r width =
  let at = take r width in
  match width with
  | 1 -> Z.of_int (Bytes.get_uint8 r.bytes at)
  | 2 -> Z.of_int (Bytes.get_uint16_le r.bytes at)
  | 4 -> Z.of_int (Int32.to_int (Bytes.get_int32_le r.bytes at) land 0xffffffff)
  | _ ->
    let signed = Z.of_int64 (Bytes.get_int64_le r.bytes at) in
    if Z.sign signed < 0 then Z.add signed two_64 else signed

let text r =
  let length = Z.to_int (number r 4) in
  Bytes.sub_string r.bytes (take r length) length

let finish r = if left r > 0 then malformed "the frame is longer than what it says"

(* The payload of the next frame. Raises [End_of_file]. *)
let receive channel =
  let read length =
    let bytes = Bytes.create length in
    really_input channel bytes 0 length;
    { bytes; at = 0 } in
  let length = number (read 8) 8 in
  if Z.gt length (Z.of_int longest) then malformed "the frame is too long";
  read (Z.to_int length)

(* --- Writing --- *)

let add_byte = Buffer.add_uint8

(* A number of 1, 2, 4 or 8 bytes without a sign. *)
let add_number buffer width n =
  if Z.sign n < 0 || Z.numbits n > 8 * width then failwith ("too wide: " ^ Z.to_string n);
  match width with
  | 1 -> Buffer.add_uint8 buffer (Z.to_int n)
  | 2 -> Buffer.add_uint16_le buffer (Z.to_int n)
  | 4 -> Buffer.add_int32_le buffer (Int32.of_int (Z.to_int n))
  | _ ->
    let signed = if Z.numbits n = 64 then Z.sub n two_64 else n in
    Buffer.add_int64_le buffer (Z.to_int64 signed)

let add_text buffer text =
  add_number buffer 4 (Z.of_int (String.length text));
  Buffer.add_string buffer text

let send channel payload =
  let header = Buffer.create 8 in
  add_number header 8 (Z.of_int (Buffer.length payload));
  Buffer.output_buffer channel header;
  Buffer.output_buffer channel payload;
  flush channel

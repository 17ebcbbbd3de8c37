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

let number r width = Numbers.get width r.bytes (take r width)

let text r =
  let length = Z.to_int (number r 4) in
  Bytes.sub_string r.bytes (take r length) length

(* As many things as a number of 4 bytes says. *)
let several r read = List.init (Z.to_int (number r 4)) (fun _ -> read r)

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

let scratch = Bytes.create 8

let add_number buffer width n =
  Numbers.set width scratch 0 n;
  Buffer.add_subbytes buffer scratch 0 width

let add_text buffer text =
  add_number buffer 4 (Z.of_int (String.length text));
  Buffer.add_string buffer text

let send channel payload =
  let header = Buffer.create 8 in
  add_number header 8 (Z.of_int (Buffer.length payload));
  Buffer.output_buffer channel header;
  Buffer.output_buffer channel payload;
  flush channel

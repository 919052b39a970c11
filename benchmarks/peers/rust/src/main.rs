//! The Rust crate kafka-protocol as a contestant: answers the requests of ../contest.py, which explains them.

use std::io::{BufRead, Write};

use anyhow::{bail, Context, Result};
use bytes::{Bytes, BytesMut};
use kafka_protocol::records::{Compression, Record, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions};

const VERSION: &str = "0.18.0"; // as Cargo.toml pins it

#[derive(Default)]
struct Sums {
    records: i64,
    offsets: i64,
    timestamps: i64,
    key_bytes: i64,
    value_bytes: i64,
    headers: i64,
}

impl Sums {
    /// Touch every field of a record.
    fn add(&mut self, record: &Record) {
        self.records += 1;
        self.offsets += record.offset;
        self.timestamps += record.timestamp;
        self.key_bytes += record.key.as_ref().map_or(0, |key| key.len() as i64);
        self.value_bytes += record.value.as_ref().map_or(0, |value| value.len() as i64);
        self.headers += record.headers.len() as i64;
    }
}

/// What is held between requests, so that a round begins with everything in memory.
#[derive(Default)]
struct Held {
    path: String,
    data: Bytes,
    batches: Vec<Vec<Record>>,
}

impl Held {
    fn load(&mut self, path: &str) -> Result<()> {
        if self.path != path {
            *self = Held::default();
            self.data = std::fs::read(path).context(path.to_string())?.into();
            self.path = path.to_string();
        }
        Ok(())
    }

    fn load_records(&mut self, path: &str) -> Result<()> {
        self.load(path)?;
        if self.batches.is_empty() {
            self.batches = RecordBatchDecoder::decode_all(&mut self.data.clone())?
                .into_iter()
                .map(|set| set.records)
                .collect();
        }
        Ok(())
    }
}

fn cpu_seconds() -> f64 {
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Decode the whole buffer and hold all of its records to the end.
fn decode(data: &Bytes) -> Result<Sums> {
    let mut sums = Sums::default();
    for set in RecordBatchDecoder::decode_all(&mut data.clone())? {
        set.records.iter().for_each(|record| sums.add(record));
    }
    Ok(sums)
}

/// Decode batch by batch; each batch's records are dropped before the next one's are made.
fn decode_dropping(data: &Bytes) -> Result<Sums> {
    let mut sums = Sums::default();
    let mut rest = data.clone();
    while !rest.is_empty() {
        for record in &RecordBatchDecoder::decode(&mut rest)?.records {
            sums.add(record);
        }
    }
    Ok(sums)
}

/// Encode batch after batch into one new buffer of at least `room` bytes.
fn encode(batches: &[Vec<Record>], compression: Compression, room: usize) -> Result<BytesMut> {
    let options = RecordEncodeOptions { version: 2, compression };
    let mut buffer = BytesMut::with_capacity(room);
    for batch in batches {
        RecordBatchEncoder::encode(&mut buffer, batch, &options)?;
    }
    Ok(buffer)
}

/// Encode batch by batch into a small buffer that is used again; return the size of all.
fn encode_dropping(batches: &[Vec<Record>], compression: Compression) -> Result<usize> {
    let options = RecordEncodeOptions { version: 2, compression };
    let mut buffer = BytesMut::new();
    let mut size = 0;
    for batch in batches {
        buffer.clear();
        RecordBatchEncoder::encode(&mut buffer, batch, &options)?;
        size += buffer.len();
    }
    Ok(size)
}

/// Return the codec of a name and the level that kafka-protocol takes for it: none can be chosen.
fn codec(name: &str) -> Result<(Compression, &'static str)> {
    Ok(match name {
        "none" => (Compression::None, ""),
        "gzip" => (Compression::Gzip, "6"),
        "snappy" => (Compression::Snappy, ""),
        "lz4" => (Compression::Lz4, "4"),
        "zstd" => (Compression::Zstd, "3"),
        _ => bail!("unknown codec {name}"),
    })
}

/// Run so many rounds; return what the last one found, and the best and the mean time as JSON.
fn timed<T>(rounds: u32, mut run: impl FnMut() -> Result<T>) -> Result<(T, String)> {
    let (mut found, mut best, mut total) = (None, f64::INFINITY, 0.0);
    for _ in 0..rounds {
        let start = cpu_seconds();
        let result = run()?;
        let seconds = cpu_seconds() - start;
        (best, total) = (best.min(seconds), total + seconds);
        found = Some(result);
    }
    let mean = total / f64::from(rounds);
    let times = format!(r#""cpu_seconds_best":{best},"cpu_seconds_mean":{mean}"#);
    Ok((found.context("no rounds")?, times))
}

fn answer(held: &mut Held, request: &str) -> Result<String> {
    let parts: Vec<&str> = request.split('\t').collect();
    let [work, corpus, codec_name, rounds, path, out] = parts[..] else {
        bail!("a request has 6 fields: {request}");
    };
    let (compression, level) = codec(codec_name)?;
    let rounds: u32 = rounds.parse()?;
    let head = format!(
        r#""peer":"kafka-protocol","version":"{VERSION}","work":"{work}","corpus":"{corpus}","codec":"{codec_name}","rounds":{rounds}"#
    );
    if work.starts_with("decode") {
        held.load(path)?;
        let run = if work == "decode" { decode } else { decode_dropping };
        let (sums, times) = timed(rounds, || run(&held.data))?;
        return Ok(format!(
            r#"{{{head},"records":{},"offsets":{},"timestamps":{},"key_bytes":{},"value_bytes":{},"headers":{},{times}}}"#,
            sums.records, sums.offsets, sums.timestamps, sums.key_bytes, sums.value_bytes, sums.headers
        ));
    }
    held.load_records(path)?;
    if !out.is_empty() {
        std::fs::write(out, encode(&held.batches, compression, held.data.len())?)?;
    }
    let records: usize = held.batches.iter().map(Vec::len).sum();
    let (size, times) = timed(rounds, || match work {
        "encode" => encode(&held.batches, compression, held.data.len()).map(|buffer| buffer.len()),
        _ => encode_dropping(&held.batches, compression),
    })?;
    Ok(format!(
        r#"{{{head},"level":"{level}","records":{records},"bytes":{size},{times}}}"#
    ))
}

fn main() -> Result<()> {
    let mut held = Held::default();
    for line in std::io::stdin().lock().lines() {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", answer(&mut held, &line?)?)?;
        out.flush()?;
    }
    Ok(())
}

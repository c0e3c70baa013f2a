//! A small engine in Rust: the line protocol of docs/ENGINES.md, and contested decisions without Python.
//!
//!     rustc --edition 2021 -O -o tiny_engine tiny_engine.rs
//!
//! bgfast starts it as program:./tiny_engine. `./tiny_engine contested_decisions.txt` measures its choice of plays, which
//! leaves few blots.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead, Write};

/// 25 is the mover's bar, 24 to 1 the points (the opponent's checkers negative), 0 the opponent's bar.
type Board = [i32; 26];

/// Add the boards after each move of one checker with this die.
fn add_moves(boards: &mut BTreeSet<Board>, board: &Board, die: usize) {
    let rearmost = (1..26).rev().find(|&point| board[point] > 0).unwrap_or(0);
    let last = if board[25] > 0 { 25 } else { 1 };
    for from in (last..=rearmost).filter(|&point| board[point] > 0) {
        let mut after = *board;
        after[from] -= 1;
        if from > die {
            let to = from - die;
            if board[to] < -1 {
                continue;
            }
            if board[to] == -1 {
                after[to] = 0;
                after[0] -= 1;
            }
            after[to] += 1;
        } else if rearmost > 6 || (from < die && from != rearmost) {
            continue;
        }
        boards.insert(after);
    }
}

/// Play these dice in this order as far as possible; return the number of dice played.
fn play(board: &Board, dice: &[usize]) -> (usize, BTreeSet<Board>) {
    let mut boards = BTreeSet::from([*board]);
    for (played, &die) in dice.iter().enumerate() {
        let mut next = BTreeSet::new();
        boards.iter().for_each(|before| add_moves(&mut next, before, die));
        if next.is_empty() {
            return (played, boards);
        }
        boards = next;
    }
    (dice.len(), boards)
}

/// The legal plays of a roll: as many dice as possible, and of two the higher if only one of them can be played.
fn successors(board: &Board, a: usize, b: usize) -> BTreeSet<Board> {
    let (high, low) = (a.max(b), a.min(b));
    if high == low {
        let (played, boards) = play(board, &[high; 4]);
        return if played > 0 { boards } else { BTreeSet::new() };
    }
    let (high_first, mut boards) = play(board, &[high, low]);
    let (low_first, others) = play(board, &[low, high]);
    match (high_first.max(low_first), high_first, low_first) {
        (0, ..) => BTreeSet::new(),
        (2, 2, 2) => {
            boards.extend(others);
            boards
        }
        (maximum, ..) if maximum == high_first => boards,
        _ => others,
    }
}

/// Read the whole numbers after a key of a request.
fn numbers(line: &str, key: &str) -> Vec<i32> {
    let text = &line[line.find(key).map_or(line.len(), |at| at + key.len())..];
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '-' || c == ',')).unwrap_or(text.len());
    text[..end].split(',').filter_map(|number| number.parse().ok()).collect()
}

/// The board of a GNU Backgammon position ID, from the side of the player on roll; empty bytes are checkers borne off.
fn board_of_id(id: &str) -> Board {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let six: Vec<usize> = id.chars().map(|c| DIGITS.find(c).unwrap_or(0)).collect();
    let bit = |at: usize| {
        let from_left = at / 8 * 8 + 7 - at % 8; // bytes are written from the left, their bits read from the right
        six[from_left / 6] >> (5 - from_left % 6) & 1 == 1
    };
    let (mut board, mut at) = ([0; 26], 0);
    for number in 0..50 {
        while at < 80 && bit(at) {
            let point = number % 25 + 1;
            if number < 25 { board[25 - point] -= 1 } else { board[point] += 1 } // the opponent comes first
            at += 1;
        }
        at += 1;
    }
    board
}

fn flip(board: &Board) -> Board {
    std::array::from_fn(|point| -board[25 - point])
}

/// Choose a play in each decision, and print the mean loss by family.
fn score(path: &str) -> io::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let mut families: BTreeMap<&str, (f64, u32)> = BTreeMap::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let ["decision", id, roll, family, ..] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
        let mut losses: HashMap<Board, f64> = HashMap::new(); // by the position after a play, the opponent on roll
        while let Some(line) = lines.next_if(|line| !line.starts_with("decision")) {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["rolled", id, _, _, loss, ..] | ["other", id, loss] => {
                    losses.insert(board_of_id(id), loss.parse().expect("a number"));
                }
                _ => (),
            }
        }
        let dice: Vec<usize> = roll.bytes().map(|digit| (digit - b'0').into()).collect();
        let plays = successors(&board_of_id(id), dice[0], dice[1]);
        assert_eq!(plays.len(), losses.len(), "{line}");
        let best = plays.iter().min_by_key(|board| board[1..25].iter().filter(|&&number| number == 1).count());
        let sum = families.entry(family).or_default();
        *sum = (sum.0 + losses[&flip(best.expect("a play"))], sum.1 + 1);
    }
    for (family, (loss, number)) in families {
        println!("{family:<16} {number:>5} {:>8.2}", loss / f64::from(number));
    }
    Ok(())
}

fn main() -> io::Result<()> {
    if let Some(path) = std::env::args().nth(1) {
        return score(&path);
    }
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.contains("\"hello\"") {
            println!("{{\"name\":\"tiny in Rust\",\"version\":\"1\"}}");
            continue;
        }
        let board = numbers(&line, "\"board\":[").try_into().expect("26 numbers");
        let roll = numbers(&line, "\"roll\":[");
        let boards: Vec<Board> = successors(&board, roll[0] as usize, roll[1] as usize).into_iter().collect();
        println!("{{\"id\":{},\"successors\":{boards:?}}}", numbers(&line, "\"id\":")[0]);
        io::stdout().flush()?;
    }
    Ok(())
}

; A one-handed home robot heats a meal; typing and negative preconditions.
(define (domain kitchen)
  (:requirements :strips :typing :negative-preconditions)

  (:types
    place item - object
    surface cabinet - place       ; a cabinet has a door
    appliance - cabinet)          ; an appliance can also be switched on

  (:predicates
    (robot-at ?p - place)
    (item-at ?i - item ?p - place)
    (holding ?i - item)
    (hand-full)
    (opened ?c - cabinet)
    (running ?c - cabinet))

  (:action walk
    :parameters (?from ?to - place)
    :precondition (and (robot-at ?from) (not (robot-at ?to)))
    :effect (and (robot-at ?to) (not (robot-at ?from))))

  ; opening a door takes the free hand, and nothing is opened while it runs
  (:action open
    :parameters (?c - cabinet)
    :precondition (and (robot-at ?c) (not (opened ?c)) (not (running ?c))
                       (not (hand-full)))
    :effect (opened ?c))

  ; a door can be pushed shut with the elbow, so the hand may be full
  (:action close
    :parameters (?c - cabinet)
    :precondition (and (robot-at ?c) (opened ?c))
    :effect (not (opened ?c)))

  (:action grab-from
    :parameters (?i - item ?c - cabinet)
    :precondition (and (robot-at ?c) (opened ?c) (item-at ?i ?c) (not (hand-full)))
    :effect (and (holding ?i) (hand-full) (not (item-at ?i ?c))))

  (:action grab-off
    :parameters (?i - item ?s - surface)
    :precondition (and (robot-at ?s) (item-at ?i ?s) (not (hand-full)))
    :effect (and (holding ?i) (hand-full) (not (item-at ?i ?s))))

  (:action put-in
    :parameters (?i - item ?c - cabinet)
    :precondition (and (robot-at ?c) (opened ?c) (holding ?i))
    :effect (and (item-at ?i ?c) (not (holding ?i)) (not (hand-full))))

  (:action put-on
    :parameters (?i - item ?s - surface)
    :precondition (and (robot-at ?s) (holding ?i))
    :effect (and (item-at ?i ?s) (not (holding ?i)) (not (hand-full))))

  (:action switch-on
    :parameters (?a - appliance)
    :precondition (and (robot-at ?a) (not (opened ?a)) (not (running ?a)))
    :effect (running ?a)))
